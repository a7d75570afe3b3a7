//! Classes of everyday things, with their usual members: what people do, have, eat and visit.
//!
//! A small lexicon of English, written by hand. A class is named by the nouns and verbs with which
//! one asks for its members; a member is a word whose presence suggests that a text is about one.
//! Members are compared by their stems, so one form of a word is enough.

/// A class.
pub(super) struct Class {
    /// Words of a question that name it, in lower case.
    pub(super) names: &'static [&'static str],
    /// Its members, separated by spaces.
    pub(super) members: &'static str,
}

/// All classes.
#[rustfmt::skip]
pub(super) const CLASSES: [Class; 23] = [
    Class {
        names: &[
            "food", "foods", "dish", "dishes", "cuisine", "cuisines", "meal", "meals", "snack",
            "snacks", "recipe", "recipes", "ingredient", "ingredients", "dessert", "desserts",
            "breakfast", "lunch", "dinner", "eat", "ate", "cook", "cooked", "bake", "baked",
        ],
        members: "food dish cuisine meal snack recipe dessert breakfast lunch dinner eat cook bake \
            grill roast fry restaurant delicious tasty yummy pizza pasta noodles soup salad \
            bread cake cookie pie pancake chocolate cream candy fruit apple banana orange \
            strawberry berry mango lemon vegetable potato tomato carrot onion garlic mushroom \
            bean rice chicken beef steak pork bacon fish salmon shrimp sushi seafood egg cheese \
            butter burger sandwich taco curry sauce spice vegan vegetarian",
    },
    Class {
        names: &[
            "drink", "drinks", "beverage", "beverages",
        ],
        members: "drink beer wine cocktail coffee tea juice smoothie soda milk latte espresso whiskey \
            vodka rum champagne lemonade",
    },
    Class {
        names: &[
            "animal", "animals", "pet", "pets", "dog", "dogs", "cat", "cats",
        ],
        members: "pet animal dog puppy cat kitten fish bird parrot turtle hamster rabbit horse pony \
            snake lizard mouse cow sheep goat chicken duck bear wolf fox deer squirrel monkey \
            elephant lion tiger whale dolphin shark frog spider bee butterfly owl breed vet \
            adopt",
    },
    Class {
        names: &[
            "book", "books", "novel", "novels", "author", "authors", "read", "literature",
        ],
        members: "book novel author read bookshop bookstore library chapter trilogy fiction fantasy \
            memoir biography comic page literature story audiobook bestseller",
    },
    Class {
        names: &[
            "movie", "movies", "film", "films", "cartoon", "cartoons", "show", "shows", "series",
            "watch", "watched",
        ],
        members: "movie film cinema actor actress director cartoon anime series episode season \
            documentary sequel watch comedy thriller horror drama trailer",
    },
    Class {
        names: &[
            "music", "song", "songs", "band", "bands", "artist", "artists", "singer", "singers",
            "concert", "concerts", "album", "albums", "musical",
        ],
        members: "music song band singer concert album listen playlist jazz rock pop rap orchestra \
            symphony gig sing choir tune lyrics melody",
    },
    Class {
        names: &[
            "instrument", "instruments",
        ],
        members: "guitar piano violin clarinet drum flute saxophone trumpet cello ukulele keyboard \
            bass harp instrument practice",
    },
    Class {
        names: &[
            "game", "games", "gaming", "video", "board", "tournament", "tournaments",
        ],
        members: "game gaming gamer console level quest chess poker cards puzzle multiplayer \
            tournament esports play",
    },
    Class {
        names: &[
            "sport", "sports", "exercise", "exercises", "workout", "workouts", "team", "teams",
        ],
        members: "sport soccer football basketball baseball tennis volleyball hockey golf rugby \
            cricket badminton ski snowboard surf swim run marathon race gym workout weights yoga \
            pilates boxing karate judo bike cycling climb hike train team match league coach \
            skate bowling dance",
    },
    Class {
        names: &[
            "hobby", "hobbies", "activity", "activities", "interest", "interests", "pastime",
            "pastimes", "leisure", "fun", "relax", "enjoy",
        ],
        members: "hobby paint draw pottery craft knit sew garden photography camp hike fishing swim \
            run read write cook bake dance sing guitar piano game movie travel museum picnic \
            yoga gym bike skate ski surf collect puzzle",
    },
    Class {
        names: &[
            "place", "places", "country", "countries", "city", "cities", "state", "states", "town",
            "area", "areas", "location", "locations", "visit", "visited", "travel", "traveled",
            "travelled", "trip", "trips", "vacation", "abroad",
        ],
        members: "visit trip travel vacation holiday flight fly tour tourist hotel airport road beach \
            island city country town state abroad museum castle park mountain lake weekend",
    },
    Class {
        names: &[
            "event", "events", "attend", "attended", "host", "hosted", "participate",
            "participated", "festival", "festivals", "celebration", "celebrations",
        ],
        members: "event festival parade concert conference party wedding meetup workshop fair \
            exhibition show race ceremony fundraiser gala convention competition contest \
            tournament speech lecture seminar march rally marathon celebrate birthday \
            anniversary reunion attend host join",
    },
    Class {
        names: &[
            "family", "relatives", "children", "kids", "siblings", "parents",
        ],
        members: "family mother mom mum father dad parent brother sister sibling son daughter child \
            kid baby grandma grandpa grandmother grandfather aunt uncle cousin niece nephew wife \
            husband",
    },
    Class {
        names: &[
            "ailment", "ailments", "sick", "illness", "illnesses", "disease", "diseases", "health",
            "injury", "injuries", "allergy", "allergies", "allergic",
        ],
        members: "sick ill illness cold flu fever headache migraine pain ache sore cough infection \
            injury hurt surgery hospital doctor medicine pill allergy diabetes stomach nausea \
            dizzy insomnia virus",
    },
    Class {
        names: &[
            "doctor", "doctors", "specialist", "specialists",
        ],
        members: "doctor dentist therapist psychologist surgeon nurse physician clinic hospital",
    },
    Class {
        names: &[
            "transport", "transportation", "vehicle", "vehicles",
        ],
        members: "car bus train plane flight bike bicycle taxi metro subway tram boat ferry ship truck \
            motorcycle scooter drive",
    },
    Class {
        names: &[
            "item", "items", "buy", "bought", "purchase", "purchased",
        ],
        members: "buy purchase order gift present shop store pair shoes dress shirt jacket bag \
            necklace watch ring toy",
    },
    Class {
        names: &[
            "cause", "causes", "volunteer", "volunteering", "charity", "charities",
        ],
        members: "volunteer shelter charity donate donation fundraiser homeless community support \
            veteran campaign awareness nonprofit",
    },
    Class {
        names: &[
            "job", "jobs", "career", "careers", "work", "profession", "study", "studying",
            "internship", "internships",
        ],
        members: "job career work intern internship company office boss colleague coworker interview \
            hire position degree university college course exam study major",
    },
    Class {
        names: &[
            "art", "arts", "paint", "painted", "painting", "paintings", "draw", "drawn", "artwork",
        ],
        members: "paint painting draw drawing sketch sculpture pottery clay canvas gallery exhibit art \
            artist mural watercolor portrait",
    },
    Class {
        names: &[
            "writing", "writings", "write", "wrote", "written", "script", "scripts", "blog", "blogs",
        ],
        members: "write script screenplay poem poetry story journal blog book draft letter article \
            essay",
    },
    Class {
        names: &[
            "emotion", "emotions", "feel", "feeling", "feelings",
        ],
        members: "happy sad excited nervous anxious afraid scared proud relieved worried angry upset \
            thrilled grateful hopeful lonely stressed overwhelmed",
    },
    Class {
        names: &[
            "store", "stores", "shop", "shops", "brand", "brands",
        ],
        members: "store shop mall market supermarket brand",
    },
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{CLASSES, Class};

    #[test]
    fn words_are_lower_case_and_stand_once_in_a_class() {
        for Class { names, members } in CLASSES {
            let all: Vec<&str> = members.split_whitespace().collect();
            assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), all.len(), "{members}");
            assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len(), "{names:?}");
            let is_plain = |word: &&str| word.bytes().all(|byte| byte.is_ascii_lowercase());
            assert!(names.iter().chain(&all).all(is_plain), "{names:?}: {members}");
        }
    }
}
