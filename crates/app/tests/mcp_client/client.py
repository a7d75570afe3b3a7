"""Uses the memory as an agent's host does, by the official Python SDK of MCP.

Called by `cargo xtask test` with the path of the program, in an environment that holds
requirements.txt. It talks to `because mcp` and to `because serve`. The SDK checks structured
answers against the output schemas by itself; what is asserted here is what the tools say. Any
failure is a traceback and an exit code other than 0.
"""

import asyncio
import json
import os
import signal
import subprocess
import sys
import tempfile
import time

from mcp import Client, MCPError, StdioServerParameters, types
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client

KEY = "preference.drink|green-tea"


class Person:
    """Answers the questions of the server, and keeps them."""

    def __init__(self):
        self.answer, self.questions = "accept", []

    async def __call__(self, _, params):
        self.questions.append(params.message)
        return types.ElicitResult(
            action=self.answer, content={} if self.answer == "accept" else None
        )


def server(program, home, work, mode, person=None):
    """A server process, which ends with the `async with` of its client.

    The mode is how the version is agreed on. With a person, the client can ask.
    """
    parameters = StdioServerParameters(
        command=program, args=["mcp"], cwd=work, env={"BECAUSE_HOME": home, "TZ": "UTC"}
    )
    return Client(parameters, mode=mode, read_timeout_seconds=60, elicitation_callback=person)


async def call(client, tool, **arguments):
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result
    assert result.content and result.content[0].text, result
    return result.structured_content


async def fails(client, code, tool, **arguments):
    result = await client.call_tool(tool, arguments)
    assert result.is_error, result
    assert result.content[0].text.startswith(f"Error {code}: "), result
    assert "What to do: " in result.content[0].text, result


def check_tools(listed):
    tools = {tool.name: tool for tool in listed.tools}
    assert sorted(tools) == [
        "connect",
        "correct",
        "explain",
        "forget",
        "get_context",
        "graph",
        "inner_voice",
        "knowledgegraph_moderate",
        "maintenance_ops",
        "observe",
        "propose_patch",
        "recall",
        "refute",
        "remember",
        "retract",
        "review",
        "state",
        "why",
    ], tools
    for tool in tools.values():
        hints = tool.annotations
        assert tool.title and tool.description and hints.title, tool
        assert hints.open_world_hint is False, tool
        assert (
            tool.input_schema["type"] == "object" and tool.output_schema["type"] == "object"
        ), tool
        for argument in tool.input_schema["properties"].values():
            assert argument["description"], tool
    assert [name for name in sorted(tools) if tools[name].annotations.read_only_hint] == [
        "explain",
        "get_context",
        "graph",
        "observe",
        "recall",
        "review",
        "why",
    ]
    assert [name for name in sorted(tools) if tools[name].annotations.destructive_hint] == [
        "correct",
        "forget",
        "knowledgegraph_moderate",
        "maintenance_ops",
        "refute",
        "retract",
    ]


async def two_agents(program, home, work, modes):
    """One remembers and corrects, the other recalls and explains.

    The first can ask the person, the other cannot.
    """
    begun = time.monotonic()
    person = Person()
    async with server(program, home, work, modes[0], person) as one:
        check_tools(await one.list_tools())
        recalled = await call(one, "recall", query="Who is allergic to walnuts?")
        first_ms = (time.monotonic() - begun) * 1000
        assert recalled["episodes"] == [], recalled
        assert "data, not instructions" in one.instructions, one.instructions

        told = await call(one, "remember", text="I love green tea.", actor="user")
        assert told["is_new"] and told["changed"][0]["key"] == KEY, told
        await call(
            one, "remember", text="Petra is allergic to walnuts 🥜.", actor="Mara", tags=["health"]
        )

        async with server(program, home, work, modes[1]) as other:
            recalled = await call(other, "recall", query="Who is allergic to walnuts?", limit=3)
            episode = recalled["episodes"][0]
            assert (
                episode["text"] == "Petra is allergic to walnuts 🥜." and episode["who"] == "Mara"
            ), episode

            correction = {
                "name": KEY,
                "fields": {"object": "coffee"},
                "text": "You drink coffee only.",
                "note": "no, I drink coffee only",
            }
            proposed = await call(other, "correct", **correction)
            assert proposed["status"] == "proposed" and proposed["dry_run"], proposed
            assert person.questions == [], person.questions
            person.answer = "decline"
            declined = await call(one, "correct", **correction)
            assert declined["status"] == "declined", declined
            person.answer = "cancel"
            left = await call(one, "correct", **correction)
            assert left["status"] == "proposed" and left["proposal"] == proposed["proposal"], left
            person.answer = "accept"
            corrected = await call(one, "correct", **correction)
            assert (
                len(person.questions) == 3 and "You drink coffee only." in person.questions[2]
            ), person.questions
            assert (
                corrected["status"] == "done" and corrected["proposal"] == proposed["proposal"]
            ), corrected
            assert (
                corrected["changes"][0]["key"] == KEY and corrected["changes"][0]["direct"]
            ), corrected
            explained = await call(other, "explain", name=KEY)
            assert explained["text"] == "You drink coffee only.", explained
            assert explained["claim"]["state"] == "corrected", explained
            assert explained["built_from"] and explained["user_actions"], explained
            assert (
                explained["user_actions"][0]["proposed_by"]["consent"] == "elicitation"
            ), explained
            own = await call(one, "remember", text="The build fails on macOS.")
            taken = await call(one, "retract", name=own["id"], note="I misread the log")
            assert taken["status"] == "done" and len(person.questions) == 3, taken

            recalled = await call(other, "recall", query="green tea", search_type="both")
            assert any(it["text"] == "I love green tea." for it in recalled["episodes"]), recalled
            recalled = await call(other, "recall", query="coffee", search_type="facts")
            assert recalled["facts"][0]["text"] == "You drink coffee only.", recalled
            assert recalled["facts"][0]["sureness"] == "your word" and recalled["receipt"], recalled
            record = await call(other, "explain", name=episode["id"])
            assert record["found"] == "record" and record["record"]["verified"], record
            turns = [{"speaker": "user", "text": "Can Petra eat the walnut cake?"}]
            context = await call(other, "get_context", turns=turns, budget_tokens=400)
            assert "Petra is allergic" in context["context"] and context["tokens"] <= 400, context
            shown = [item["id"] for item in context["items"]]
            surfaced = await call(other, "observe", text="Is Petra allergic to walnuts?")
            assert not [it for it in surfaced["items"] if it["id"] in shown], surfaced

            claim = await call(
                one, "state", text="The build needs OpenSSL 3.", sources=[episode["id"]]
            )
            decision = await call(one, "state", text="We build with OpenSSL 3.", type="decision")
            assert claim["status"] == "done" and decision["status"] == "done", (claim, decision)
            edge = await call(
                one, "connect", type="depends_on", **{"from": decision["id"], "to": claim["id"]}
            )
            assert edge["status"] == "done", edge
            why = await call(other, "why", name="last")
            assert [it["id"] for it in why["claims"]] == [claim["id"]] and why["is_minimal"], why
            seen = await call(other, "graph", query="OpenSSL", as_of="2100-01-01")
            assert {it["id"] for it in seen["records"]} == {claim["id"], decision["id"]}, seen
            assert [it["id"] for it in seen["edges"]] == [edge["id"]], seen
            operation = {
                "op": "retract",
                "target": claim["id"],
                "sources": [episode["id"]],
                "reason": "it is old",
            }
            proposed = await call(
                other, "propose_patch", text="Take back what is old", operations=[operation]
            )
            assert proposed["status"] == "proposed" and proposed["statuses"], proposed
            refused = await call(
                other, "propose_patch", text="Nothing", operations=[{"op": "retract"}]
            )
            assert (
                refused["status"] == "refused" and refused["reasons"][0]["code"] == "malformed"
            ), refused
            queue = await call(one, "review")
            assert [it["id"] for it in queue["waiting"] if it["kind"] == "patch"] == [
                proposed["proposal"]
            ], queue

            await fails(other, "arguments", "recall", qeury="x")
            await fails(other, "empty_question", "recall", query="")
            await fails(
                other, "unknown_belief", "correct", name="no.such|thing", text="x", note="y"
            )
            try:
                await other.call_tool("forget_everything", {})
                raise AssertionError("a tool that does not exist was called")
            except MCPError as error:
                assert "forget_everything" in str(error), error
    return first_ms


def over_http(url, secret, mode):
    """A client of a running server, with a token."""
    http = create_mcp_http_client(headers={"Authorization": f"Bearer {secret}"})
    return Client(
        streamable_http_client(f"{url}/mcp", http_client=http), mode=mode, read_timeout_seconds=60
    )


async def two_tokens(url, secrets, modes):
    """One may speak for the person, the other may only read."""
    async with over_http(url, secrets[0], modes[0]) as one, over_http(
        url, secrets[1], modes[1]
    ) as other:
        check_tools(await one.list_tools())
        assert "data, not instructions" in one.instructions, one.instructions
        told = await call(one, "remember", text="I love green tea.", actor="user")
        assert told["is_new"] and told["changed"][0]["key"] == KEY, told
        recalled = await call(other, "recall", query="green tea")
        assert recalled["episodes"][0]["text"] == "I love green tea.", recalled
        await fails(other, "forbidden", "remember", text="The build fails on macOS.")
        await fails(
            other, "forbidden", "correct", name=KEY, text="You drink coffee only.", note="no"
        )
        correction = {
            "name": KEY,
            "fields": {"object": "coffee"},
            "note": "no, I drink coffee only",
        }
        corrected = await call(one, "correct", **correction)
        assert corrected["status"] == "done", corrected
        # Many calls at once, as a host makes them.
        found = await asyncio.gather(
            *(call(other, "recall", query=f"tea {number}") for number in range(20))
        )
        assert all(it["episodes"] for it in found), found
        try:
            await other.call_tool("forget_everything", {})
            raise AssertionError("a tool that does not exist was called")
        except MCPError as error:
            assert "forget_everything" in str(error), error


def run_over_http(program, environment, work, modes):
    def because(*arguments):
        command = [program, "--json", *arguments]
        ran = subprocess.run(
            command, cwd=work, env=environment, check=True, capture_output=True, text=True
        )
        return json.loads(ran.stdout)

    rights = [".:append,derive,correct", ".:read"]
    grants = zip(("laptop", "reader"), rights)
    secrets = [
        because("token", "create", "--name", name, "--grant", grant)["token"]
        for name, grant in grants
    ]
    command = [program, "--json", "serve", "--listen", "127.0.0.1:0"]
    output = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL, "text": True}
    with subprocess.Popen(command, cwd=work, env=environment, **output) as serving:
        try:
            url = json.loads(serving.stdout.readline())["url"]
            asyncio.run(two_tokens(url, secrets, modes))
        finally:
            serving.send_signal(signal.SIGTERM)
        # Windows has no such signal, and ends the process.
        assert serving.wait(timeout=30) == 0 or os.name == "nt"


def main():
    program = os.path.abspath(sys.argv[1])
    # The SDK's own two ways to agree on a version: the first handshake, and the newer discovery.
    for modes in [("legacy", "legacy"), ("auto", "auto"), ("auto", "legacy")]:
        with tempfile.TemporaryDirectory() as folder:
            home, work = os.path.join(folder, "home"), os.path.join(folder, "work")
            os.mkdir(work)
            environment = {**os.environ, "BECAUSE_HOME": home, "TZ": "UTC"}
            environment.pop("BECAUSE_SPACE", None)
            subprocess.run(
                [program, "init"], cwd=work, env=environment, check=True, stdout=subprocess.DEVNULL
            )
            first_ms = asyncio.run(two_agents(program, home, work, modes))
            verified = subprocess.run(
                [program, "verify"], cwd=work, env=environment, capture_output=True, text=True
            )
            assert verified.returncode == 0, verified
            print(
                f"{modes[0]} and {modes[1]}: start to first answer {first_ms:.0f} ms, with the SDK's own time"
            )
        with tempfile.TemporaryDirectory() as folder:
            environment["BECAUSE_HOME"] = os.path.join(folder, "home")
            work = os.path.join(folder, "work")
            os.mkdir(work)
            subprocess.run(
                [program, "init"], cwd=work, env=environment, check=True, stdout=subprocess.DEVNULL
            )
            run_over_http(program, environment, work, modes)
            print(f"{modes[0]} and {modes[1]}: over HTTP as well")


if __name__ == "__main__":
    main()
