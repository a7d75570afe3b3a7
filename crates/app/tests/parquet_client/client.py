"""Reads an archive as anybody else would, with Apache Arrow's own Parquet reader.

Called by `cargo xtask test` with the path of the program, in an environment that holds requirements.txt. Any failure is a
traceback and an exit code other than 0.
"""

import datetime
import json
import os
import subprocess
import sys
import tempfile

import pyarrow as pa
import pyarrow.parquet as pq

TEXTS = ["Petra is allergic to walnuts", "Ökonomie der Töpferei: 1260 °C – 窯", 'She said "no", then\nleft']


def main(program):
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "BECAUSE_HOME": os.path.join(folder, "home"), "TZ": "UTC"}

        def because(*arguments):
            ran = subprocess.run([program, "--json", *arguments], cwd=folder, env=environment, capture_output=True, text=True)
            assert ran.returncode == 0, ran.stderr
            return json.loads(ran.stdout) if ran.stdout.startswith("{") else ran.stdout

        because("init", "--name", "pottery")
        ids = [because("remember", text)["id"] for text in TEXTS]
        claim = because("claim", "add", "Walnuts are not for Petra")["id"]
        because("maintain", "mark", *ids, claim)
        report = because("maintain", "export", "--older-than", "0")
        assert report["records"] == len(ids) + 1, report

        file = pq.ParquetFile(report["file"])
        described = {name.decode(): value.decode() for name, value in file.metadata.metadata.items()}
        assert described["because.version"] == "1", described
        assert described["because.records"] == str(len(ids) + 1), described
        assert file.metadata.num_rows == report["operations"] == int(described["because.operations"])
        types = {field.name: field.type for field in file.schema_arrow}
        text = pa.string()
        assert types == {
            "id": text, "kind": text, "author": text, "time": pa.timestamp("us", tz="UTC"), "text": text,
            "marked": pa.bool_(), "operation": text,
        }, types

        rows = file.read().to_pylist()
        marked = {row["id"]: row for row in rows if row["marked"]}
        assert set(marked) == {*ids, claim}
        for id, said in zip(ids, TEXTS):
            row = marked[id]
            assert said in row["text"], row
            assert row["kind"] == "evidence", row
            operation = json.loads(row["operation"])
            assert operation["id"] == id and operation["body"]["payload"]["text"] == said, operation
            assert operation["header"]["author"] == row["author"]
            age = datetime.datetime.now(datetime.timezone.utc) - row["time"]
            assert abs(age) < datetime.timedelta(hours=1), row["time"]
        # What the claim was said in repeats its words, and what quotes it goes with it: its mark.
        assert [row["kind"] for row in rows if not row["marked"]] == ["evidence", "annotation"], rows

        assert because("maintain", "finalize", "--older-than", "0", "--yes")["records"] == len(ids) + 1
        restored = because("maintain", "restore", report["file"])
        # What is restored is no longer marked.
        assert restored["restored"] == report["operations"] - 1, restored
    print(f"pyarrow {pa.__version__} reads the archives")


if __name__ == "__main__":
    main(os.path.abspath(sys.argv[1]))
