"""Makes requests to `because serve` from its OpenAPI description, by schemathesis.

Called by `cargo xtask test` with the path of the program, in an environment that holds
requirements.txt. Requests that fit the description must be answered as it says, others refused, and
none may fail inside the server; afterwards the ledger must be sound. Any failure is printed with
the request that repeats it, and ends with an exit code other than 0. The requests are the same in
each run, so that a change of the program alone can make it fail.
"""

import json
import os
import subprocess
import sys
import tempfile

CASES = "12"
SECONDS_MAX = 240
CHAT = """\
{"role":"user","content":"My preference is green tea over coffee","timestamp":"2025-02-01T09:30:00Z"}
{"role":"assistant","content":"Noted: green tea","timestamp":"2025-02-01T09:31:00Z"}
"""


def because(program, environment, work, *arguments):
    ran = subprocess.run(
        [program, "--json", *arguments],
        cwd=work,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return [json.loads(line) for line in ran.stdout.splitlines()]


def seed(program, environment, work):
    """A space with records, beliefs and a chain of thoughts, and a token with all rights."""
    because(program, environment, work, "init", "--name", "pottery")
    chat = os.path.join(work, "chat.jsonl")
    with open(chat, "w", encoding="utf-8") as file:
        file.write(CHAT)
    because(program, environment, work, "import", chat)
    thought = "The kiln reaches cone six in nine hours when the lid stays closed."
    kept = because(program, environment, work, "think", thought)[0]
    kept = kept["trace"]["contributed_thought_id"]
    because(
        program, environment, work, "thought", "refine", kept, "Eight hours, if the lid was warm."
    )
    because(program, environment, work, "thought", "label", kept, "--tag", "kiln")
    grant = ".:read,append,derive,correct,private"
    return because(
        program, environment, work, "token", "create", "--name", "tester", "--grant", grant
    )[0]["token"]


def test(url, token, work):
    """Runs schemathesis. Returns its exit code and what it printed."""
    config = os.path.join(os.path.dirname(os.path.abspath(__file__)), "schemathesis.toml")
    command = [
        sys.executable,
        "-m",
        "schemathesis.cli",
        "--config-file",
        config,
        "run",
        f"{url}/api/openapi.json",
    ]
    command += [
        "--header",
        f"Authorization: Bearer {token}",
        "--max-examples",
        CASES,
        "--seed",
        "1",
    ]
    command += [
        "--generation-database",
        "none",
        "--warnings",
        "off",
        "--output-truncate",
        "false",
        "--no-color",
    ]
    command += ["--continue-on-failure", "--request-timeout", "60"]
    ran = subprocess.run(command, cwd=work, capture_output=True, text=True, timeout=SECONDS_MAX)
    return ran.returncode, ran.stdout + ran.stderr


def main(program):
    with tempfile.TemporaryDirectory() as folder:
        home, work = os.path.join(folder, "home"), os.path.join(folder, "work")
        os.mkdir(work)
        environment = {**os.environ, "BECAUSE_HOME": home, "TZ": "UTC"}
        token = seed(program, environment, work)
        arguments = ["--json", "serve", "--listen", "127.0.0.1:0", "--rate-limit", "off"]
        log = open(os.path.join(folder, "log"), "w", encoding="utf-8")
        server = subprocess.Popen(
            [program, *arguments],
            cwd=work,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
        )
        try:
            url = json.loads(server.stdout.readline())["url"]
            code, printed = test(url, token, work)
        finally:
            server.terminate()
            server.wait(timeout=60)
            log.close()
        if code != 0:
            print(printed)
            sys.exit("schemathesis found failures")
        print(
            "\n".join(
                line for line in printed.splitlines() if "generated" in line or "passed in" in line
            )
        )
        verified = because(program, environment, work, "verify")[-1]
        assert verified["sound"] is True, verified


main(os.path.abspath(sys.argv[1]))
