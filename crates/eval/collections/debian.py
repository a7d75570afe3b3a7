"""Collections for `because eval retrieval` from what Debian publishes about its packages.

A document is the description of a package or program, and its question is the title: 20 to 60
characters, often without a function word, in some 60 languages.

    debian.py Translation-uk > uk.jsonl            # dists/SUITE/main/i18n/, decompressed
    debian.py Components-amd64.yml cs > cs.jsonl   # dists/SUITE/main/dep11/; needs PyYAML
"""

import html
import json
import random
import re
import sys

DOCUMENTS_MAX, QUESTIONS_MAX, CHARS_MIN = 1500, 500, 100


def packages(text):
    """The name, title and description of each package of a `Translation-*` file."""
    for entry in text.split("\n\n"):
        name = re.search(r"^Package: (.*)$", entry, re.M)
        found = re.search(r"^Description-(?!md5)\S+: (.*)((?:\n .*)*)", entry, re.M)
        if name and found:
            body = re.sub(r"^ \.?", "", found[2], flags=re.M)
            yield name[1], found[1], body


def programs(text, language):
    """The same of each program of a `Components-*.yml` file that describes it in `language`."""
    import yaml

    for program in yaml.load_all(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
        bodies, titles = program.get("Description", {}), program.get("Summary", {})
        body = bodies.get(language)
        if body and language in titles and (language == "C" or body != bodies.get("C")):
            yield program["ID"], titles[language], html.unescape(re.sub(r"<[^>]+>", " ", body))


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        text = file.read()
    found = programs(text, sys.argv[2]) if len(sys.argv) > 2 else packages(text)
    documents = {}
    for name, title, body in sorted(found):
        body = " ".join(body.split())
        if len(body) >= CHARS_MIN and title.strip():
            documents.setdefault(body, (name, title.strip()))
    documents = sorted((name, title, body) for body, (name, title) in documents.items())
    chosen = random.Random(3)
    chosen.shuffle(documents)
    documents = documents[:DOCUMENTS_MAX]
    for name, _, body in documents:
        line = {"type": "document", "id": name, "text": body}
        print(json.dumps(line, ensure_ascii=False))
    for name, title, _ in chosen.sample(documents, min(QUESTIONS_MAX, len(documents))):
        line = {"type": "query", "id": f"title of {name}", "text": title, "gold": [name]}
        print(json.dumps(line, ensure_ascii=False))


main()
