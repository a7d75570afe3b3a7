"""Trains a table of vectors further: a vector for each token, whose sum stands for a text.

    python3 -m pip install jax==0.10.2 numpy==2.4.6 safetensors==0.8.0 tokenizers==0.23.3
    python3 train.py --first table.safetensors --model FOLDER --wordnet FOLDER --sentences FOLDER \
        --manuals FOLDER --cache FOLDER --out table.safetensors

README.md beside this file says what the folders hold, and why it is done in this way. What the
teacher makes of the texts is kept in the folder of `--cache`, so a run that was broken off goes on.
"""

import argparse
import html.parser
import json
import random
import re
import time
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
from safetensors.numpy import load_file, save_file
from tokenizers import Tokenizer

PIECES = 30_522
# Texts of each source, in files of so many.
FILE = 20_000
TAKEN = {"wordnet": 6, "sentences": 4, "manuals": 1}
# Tokens of a text that count.
TOKENS_MAX = 64
# Runs, each with the texts in another order, of which the table is the mean.
RUNS = 4
EPOCHS, BATCH, RATE, RISING = 4, 1024, 6e-3, 50
# The share of the tokens of sentences at which a row is shortened to half of its length, after the
# training.
HALF = 1e-2


# Texts

def wordnet(folder):
    """Definitions, six in ten with up to three of their words before them, and examples."""
    draw = random.Random(1)
    for part in ["noun", "verb", "adj", "adv"]:
        for line in open(folder / f"data.{part}"):
            if line.startswith("  "):
                continue
            head, gloss = line.split(" | ", 1)
            fields = head.split()
            words = [fields[4 + 2 * i].split("(")[0] for i in range(int(fields[3], 16))]
            named = ", ".join(words[:3]).replace("_", " ")
            definition = re.split(r'; "', gloss)[0].strip()
            yield f"{named}: {definition}" if draw.random() < 0.6 else definition
            yield from (example.strip() for example in re.findall(r'"([^"]+)"', gloss))


def sentences(folder):
    """Sentences of the npm package nlp-corpus."""
    found = {}
    for file in sorted((folder / "builds").glob("*.json")):
        for sentence in json.loads(file.read_text()):
            sentence = " ".join(sentence.split())[:600]
            if len(sentence) > 15:
                found[sentence] = None
    return list(found)


class Blocks(html.parser.HTMLParser):
    """The texts of paragraphs, items and headings."""

    BLOCKS = {"p", "li", "dd", "title", "h1", "h2", "h3"}
    LEFT_OUT = {"script", "style", "pre", "nav"}

    def __init__(self):
        super().__init__()
        self.found, self.text, self.depth = [], [], 0

    def handle_starttag(self, tag, attributes):
        self.depth += tag in self.LEFT_OUT
        if tag in self.BLOCKS:
            self.end()

    def handle_endtag(self, tag):
        if tag in self.LEFT_OUT:
            self.depth = max(0, self.depth - 1)
        if tag in self.BLOCKS:
            self.end()

    def handle_data(self, data):
        if not self.depth:
            self.text.append(data)

    def end(self):
        if text := " ".join("".join(self.text).split()):
            self.found.append(text)
        self.text = []


def manuals(folder):
    """Sentences of manuals for programs in English."""
    def is_english(file):
        path = f"/{file}"
        of = {"/python3": "", "debian-handbook": "/en-US/", "debian-reference": ".en."}
        return any(name in path and mark in path for name, mark in of.items())

    files = [file for file in folder.rglob("*.html") if is_english(file)]
    found = set()
    for file in files + list(folder.rglob("help/C/**/*.page")):
        blocks = Blocks()
        blocks.feed(file.read_text(errors="ignore"))
        for block in blocks.found:
            for sentence in re.split(r"(?<=[.!?])\s+(?=[A-Z])", block):
                letters = sum(char.isalpha() or char == " " for char in sentence)
                if 25 < len(sentence) < 400 and letters / len(sentence) > 0.85:
                    found.add(sentence)
    return sorted(found)


def texts(options):
    """The texts in files: each source in an order of its own."""
    read = {
        "wordnet": list(wordnet(options.wordnet)),
        "sentences": sentences(options.sentences),
        "manuals": manuals(options.manuals),
    }
    draw = random.Random(3)
    draw.shuffle(read["wordnet"])
    draw.shuffle(read["sentences"])
    random.Random(5).shuffle(read["manuals"])
    for source, files in TAKEN.items():
        if len(read[source]) < files * FILE:
            raise SystemExit(f"--{source} has {len(read[source])} texts, not {files * FILE}")
        for number in range(files):
            yield f"{source}-{number}", read[source][number * FILE:(number + 1) * FILE]


# The teacher

class Teacher:
    """A sentence model of BERT's form with six layers: the mean of its last states, of length 1."""

    LAYERS, HEADS, WIDTH = 6, 12, 384

    def __init__(self, folder):
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.tokenizer.no_padding()
        self.tokenizer.no_truncation()
        weights = load_file(folder / "model.safetensors")
        self.weights = {
            name: jnp.asarray(value) for name, value in weights.items() if value.dtype != np.int64
        }
        self.forward = jax.jit(self.states)

    def linear(self, x, name):
        return x @ self.weights[f"{name}.weight"].T + self.weights[f"{name}.bias"]

    def normed(self, x, name):
        centred = x - x.mean(-1, keepdims=True)
        scaled = centred / jnp.sqrt((centred**2).mean(-1, keepdims=True) + 1e-12)
        return scaled * self.weights[f"{name}.weight"] + self.weights[f"{name}.bias"]

    def states(self, tokens, is_token):
        count, length = tokens.shape
        of = {name: self.weights[f"embeddings.{name}_embeddings.weight"]
              for name in ["word", "position", "token_type"]}
        x = of["word"][tokens] + of["position"][:length] + of["token_type"][0]
        x = self.normed(x, "embeddings.LayerNorm")
        hidden = jnp.where(is_token[:, None, None, :], 0.0, -1e9)
        size = self.WIDTH // self.HEADS
        for number in range(self.LAYERS):
            layer = f"encoder.layer.{number}."
            query, key, value = (
                self.linear(x, f"{layer}attention.self.{part}")
                .reshape(count, length, self.HEADS, size)
                .transpose(0, 2, 1, 3)
                for part in ["query", "key", "value"]
            )
            seen = jax.nn.softmax(query @ key.transpose(0, 1, 3, 2) / size**0.5 + hidden, -1)
            seen = (seen @ value).transpose(0, 2, 1, 3).reshape(count, length, self.WIDTH)
            seen = self.linear(seen, f"{layer}attention.output.dense")
            x = self.normed(x + seen, f"{layer}attention.output.LayerNorm")
            wide = jax.nn.gelu(self.linear(x, f"{layer}intermediate.dense"), approximate=False)
            wide = self.linear(wide, f"{layer}output.dense")
            x = self.normed(x + wide, f"{layer}output.LayerNorm")
        share = is_token[..., None].astype(x.dtype)
        mean = (x * share).sum(1) / share.sum(1)
        return mean / jnp.linalg.norm(mean, axis=-1, keepdims=True)

    def tokens(self, read):
        return [encoding.ids for encoding in self.tokenizer.encode_batch(read)]

    def vectors(self, sequences):
        """The vectors of sequences, which are read in batches of about the same length."""
        found = np.zeros((len(sequences), self.WIDTH), np.float32)
        order = sorted(range(len(sequences)), key=lambda number: len(sequences[number]))
        start = 0
        while start < len(order):
            near = len(sequences[order[min(start + 63, len(order) - 1)]])
            size = max(32, min(512, 8192 // min(TOKENS_MAX, -(-near // 8) * 8)))
            size = 1 << (size.bit_length() - 1)
            batch = order[start:start + size]
            longest = max(len(sequences[number]) for number in batch)
            length = min(TOKENS_MAX, -(-longest // 8) * 8)
            tokens = np.zeros((size, length), np.int32)
            is_token = np.zeros((size, length), bool)
            is_token[:, 0] = True
            for row, number in enumerate(batch):
                sequence = sequences[number][:length]
                tokens[row, :len(sequence)] = sequence
                is_token[row, :len(sequence)] = True
            found[batch] = np.asarray(self.forward(tokens, is_token))[:len(batch)]
            start += size
        return found


def lessons(options, teacher):
    """The tokens and the teacher's vector of each text, and the sources."""
    tokens, vectors, sources = [], [], []
    for name, read in texts(options):
        file = options.cache / f"{name}.npy"
        sequences = teacher.tokens(read)
        if not file.exists():
            np.save(file, teacher.vectors(sequences).astype(np.float16))
        vectors.append(np.load(file).astype(np.float32))
        tokens += [np.array(sequence[1:-1], np.int32) for sequence in sequences]
        sources += [name.split("-")[0]] * len(read)
        print(name, len(read), flush=True)
    return tokens, np.concatenate(vectors), np.array(sources)


# The table

def shares(tokens):
    counts = np.bincount(np.concatenate(tokens), minlength=PIECES)
    return counts / counts.sum()


def unit(x):
    return x / jnp.sqrt((x * x).sum(-1, keepdims=True) + 1e-12)


def loss(rows, tokens, vectors):
    """The mean over all pairs of texts of a batch: how far their cosine is from the teacher's."""
    sums = unit(rows[tokens].sum(1))
    pairs = 1 - jnp.eye(len(tokens))
    difference = (sums @ sums.T - vectors @ vectors.T) ** 2
    return (difference * pairs).sum() / pairs.sum()


@jax.jit
def step(rows, slopes, squares, taken, rate, tokens, vectors):
    """One of Adam's (Kingma and Ba 2015), for the rows of the batch alone."""
    value, gradient = jax.value_and_grad(loss)(rows, tokens, vectors)
    gradient = gradient.at[PIECES].set(0.0)
    is_touched = jnp.zeros((PIECES + 1, 1), bool).at[tokens.reshape(-1)].set(True)
    is_touched = is_touched.at[PIECES].set(False)
    slopes = jnp.where(is_touched, 0.9 * slopes + 0.1 * gradient, slopes)
    squares = jnp.where(is_touched, 0.999 * squares + 0.001 * gradient * gradient, squares)
    change = slopes / (1 - 0.9**taken) / (jnp.sqrt(squares / (1 - 0.999**taken)) + 1e-8)
    return jnp.where(is_touched, rows - rate * change, rows), slopes, squares, value


def filled(tokens):
    """The texts' tokens as rows of one length, filled up with a token that stands for none."""
    padded = np.full((len(tokens), TOKENS_MAX), PIECES, np.int32)
    for number, sequence in enumerate(tokens):
        padded[number, :min(len(sequence), TOKENS_MAX)] = sequence[:TOKENS_MAX]
    return padded


def train(first, padded, vectors, seed):
    """The rows, trained from the first ones."""
    # The last row, of zeros, is that of what fills up short texts.
    rows = jnp.asarray(np.concatenate([first, np.zeros((1, first.shape[1]), np.float32)]))
    slopes, squares, taken = jnp.zeros_like(rows), jnp.zeros_like(rows), 0
    draw = np.random.default_rng(seed)
    steps = EPOCHS * -(-len(padded) // BATCH)
    for epoch in range(EPOCHS):
        order, losses, began = draw.permutation(len(padded)), [], time.time()
        for start in range(0, len(padded) - BATCH + 1, BATCH):
            batch = order[start:start + BATCH]
            batch = batch[padded[batch, 0] < PIECES]
            batch = np.concatenate([batch, batch[:BATCH - len(batch)]])
            taken += 1
            rate = RATE * min(1, taken / RISING) * (1 - taken / (steps + 1))
            given = (jnp.asarray(padded[batch]), jnp.asarray(vectors[batch]))
            rows, slopes, squares, value = step(rows, slopes, squares, taken, rate, *given)
            losses.append(value)
        mean = float(jnp.stack(losses).mean())
        print(f"run {seed}, epoch {epoch + 1}: loss {mean:.5f}, {time.time() - began:.0f} s",
              flush=True)
    return np.asarray(rows[:PIECES])


def rows_of(file):
    table = load_file(file)
    return table["rows"].astype(np.float32) * table["scales"].reshape(-1, 1)


def write(rows, out):
    scales = (np.abs(rows).max(1) / 127).astype(np.float32)
    levels = np.rint(rows / np.maximum(scales[:, None], 1e-30)).astype(np.int8)
    sources = "made by `train.py`; teacher all-MiniLM-L6-v2, Apache-2.0; README.md names the texts"
    save_file({"rows": levels, "scales": scales}, out, {"sources": sources})


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    for name in ["first", "model", "wordnet", "sentences", "manuals", "cache", "out"]:
        parser.add_argument(f"--{name}", type=Path, required=True)
    options = parser.parse_args()
    options.cache.mkdir(exist_ok=True)
    teacher = Teacher(options.model)
    tokens, vectors, sources = lessons(options, teacher)
    first, padded = rows_of(options.first), filled(tokens)
    rows = sum(train(first, padded, vectors, 1 + run) for run in range(RUNS)) / RUNS
    # How frequent tokens are is that of sentences; definitions have other words.
    of_sentences = shares([tokens[number] for number in np.flatnonzero(sources == "sentences")])
    write(rows * (HALF / (HALF + of_sentences))[:, None], options.out)


main()
