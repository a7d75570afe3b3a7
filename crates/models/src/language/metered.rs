//! A model whose use is added up.

use super::{Generation, GenerationRequest, LanguageModel, Usage};

/// Wraps a model and adds up what its calls use, so that a caller cannot forget to count one.
pub struct Metered {
    model: Box<dyn LanguageModel>,
    usage: Usage,
}

impl Metered {
    /// Wraps a model.
    pub fn new(model: Box<dyn LanguageModel>) -> Self {
        Self { model, usage: Usage::default() }
    }

    /// What was used since this was last called.
    pub fn take_usage(&mut self) -> Usage {
        std::mem::take(&mut self.usage)
    }
}

impl LanguageModel for Metered {
    fn name(&self) -> &str {
        self.model.name()
    }

    fn generate(&mut self, request: &GenerationRequest) -> Generation {
        let generation = self.model.generate(request);
        self.usage.add(generation.usage);
        generation
    }
}
