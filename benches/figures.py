#!/usr/bin/env python3
"""Prints how long dagwood takes as a command, on inputs it makes itself, beside what other tools need for the same.

    cargo build --release && python3 benches/figures.py target/release/dagwood

Needs git, the sqlite3 shell, `head` and `xargs`, and about 1 GB in the temporary folder. Each time is the median of several
runs of a whole process; memory is the peak of the resident set. The inputs are always the same.
"""

import os
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time

ROUNDS = 7
ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


def ulid(number):
    digits = ""
    for _ in range(24):
        digits = ALPHABET[number & 31] + digits
        number >>= 5
    return "01" + digits


def once(command, cwd, env, status):
    """Seconds and mebibytes of one run."""
    start = time.perf_counter()
    child = subprocess.Popen(command, cwd=cwd, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    errors = child.stderr.read()
    _, waited, used = os.wait4(child.pid, 0)
    seconds = time.perf_counter() - start
    child.returncode = os.waitstatus_to_exitcode(waited)
    if child.returncode not in status:
        sys.exit(f"{command}: status {child.returncode}\n{errors.decode()}")
    return seconds, used.ru_maxrss / 1024


def measure(what, command, cwd, env, status=(0,), rounds=ROUNDS, before=None):
    times, sizes = [], []
    for at in range(rounds):
        if before:
            before(at)
        seconds, size = once(command(at) if callable(command) else command, cwd, env, status)
        times.append(seconds)
        sizes.append(size)
    median = statistics.median(times)
    print(f"{what:<64} {median * 1000:9.1f} ms  {max(sizes):6.0f} MiB  (quickest {min(times) * 1000:.1f})", flush=True)
    return median


def registry(binary, folder, name, nodes, links, env):
    """A registry that dagwood laid out and this filled."""
    file = os.path.join(folder, name)
    subprocess.run([binary, "--registry", file, "resource", "add", "fs-directory", "local/first", "--location", folder],
                   check=True, cwd=folder, env=env, stdout=subprocess.DEVNULL)
    base = sqlite3.connect(file)
    base.execute("DELETE FROM resources")
    base.executemany("INSERT INTO resources(resource_id, name, resource_type_name, created_at) VALUES(?, ?, "
                     "'fs-directory', '2026-01-01T00:00:00Z')", ((ulid(at), f"n{at}") for at in range(nodes)))
    base.executemany("INSERT OR IGNORE INTO resource_links(parent_id, child_id, created_at) VALUES(?, ?, "
                     "'2026-01-01T00:00:00Z')", ((ulid(up), ulid(down)) for up, down in links))
    base.commit()
    base.close()
    return file


def tree(nodes):
    """Each under an earlier one, and as many links again."""
    state = 1
    for at in range(1, nodes):
        for _ in range(2):
            state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
            yield (state >> 33) % at, at


def ladder(levels):
    for level in range(levels - 1):
        for up in range(2):
            for down in range(2):
                yield 2 * level + up, 2 * level + 2 + down


def files(folder):
    """A folder of 100,000 empty files."""
    place = os.path.join(folder, "files")
    if not os.path.exists(place):
        os.makedirs(place)
        for at in range(100_000):
            open(os.path.join(place, f"file{at:06}.txt"), "w").close()
    return place


def resources(binary, folder, env):
    run = os.path.join(folder, "work")
    os.makedirs(run)
    big = registry(binary, run, "tree.db", 500_000, tree(500_000), env)
    flat = registry(binary, run, "wide.db", 100_001, ((0, at) for at in range(1, 100_001)), env)
    rungs = registry(binary, run, "ladder.db", 48, ladder(24), env)
    deep = registry(binary, run, "chain.db", 100_000, ((at, at + 1) for at in range(99_999)), env)
    print("\n500,000 resources and 1,000,000 links; a node of 100,000 children; 24 levels of two; a chain of 100,000")
    command = [binary, "--registry", big, "resource"]

    def sql(at):
        return ["sqlite3", "-bail", big,
                "PRAGMA foreign_keys=ON; PRAGMA synchronous=FULL; BEGIN IMMEDIATE; "
                "WITH RECURSIVE up(id) AS (SELECT resource_id FROM resources WHERE name='n4131' UNION SELECT parent_id "
                "FROM up JOIN resource_links ON child_id=id) SELECT count(*) FROM up WHERE id=(SELECT resource_id FROM "
                f"resources WHERE name='n{490_033 + at}'); INSERT INTO resource_links(parent_id, child_id, created_at) "
                f"SELECT a.resource_id, b.resource_id, '' FROM resources a, resources b WHERE a.name='n4131' AND "
                f"b.name='n{490_033 + at}'; COMMIT;"]

    shell = measure("the sqlite3 shell: the check and the insert", sql, run, env)
    link = measure("resource link", lambda at: command + ["link", "n4131", f"n{480_033 + at}"], run, env)
    print(f"{'':<64} {link / shell:9.2f} times the shell")
    measure("resource show", command + ["show", "n490033"], run, env)
    measure("resource parents", command + ["parents", "n490033"], run, env)
    measure("resource children, 100,000 of them", [binary, "--registry", flat, "resource", "children", "n0"], run, env)
    measure("resource link refused, on the ladder", [binary, "--registry", rungs, "resource", "link", "n47", "n0"],
            run, env, status=(1,))
    measure("resource link refused, with the path of 100,000",
            [binary, "--registry", deep, "resource", "link", "n99999", "n0"], run, env, status=(1,))
    measure("check --only resources", [binary, "--registry", big, "check", "--only", "resources"], run, env, status=(0, 1),
            rounds=3)
    measure("export resources", [binary, "--registry", big, "export", "resources"], run, env, rounds=3)

    of_files = files(folder)
    found = os.path.join(run, "found.db")

    def fresh(_):
        for end in ("", "-wal", "-shm"):
            if os.path.exists(found + end):
                os.remove(found + end)
        subprocess.run([binary, "--registry", found, "resource", "add", "fs-directory", "local/files", "--location", of_files],
                       check=True, cwd=run, env=env, stdout=subprocess.DEVNULL)

    discover = [binary, "--registry", found, "resource", "discover", "local/files"]
    measure("resource discover, 100,000 files", discover, run, env, rounds=3, before=fresh)
    measure("resource discover again, nothing new", discover, run, env, rounds=3)


def layer(folder, env):
    """A git work tree whose layer has 100,000 directories, half of them with a contract; and their paths."""
    top = os.path.join(folder, "layer")
    ai = os.path.join(top, ".ai")
    paths = [""]
    for at in range(100_000):
        up = paths[at // 8]
        paths.append(f"{up}/d{at % 8}" if up else f"d{at % 8}")
    for at, path in enumerate(paths[:100_000]):
        place = os.path.join(ai, path)
        os.makedirs(place, exist_ok=True)
        for nth in range(2):
            open(os.path.join(place, f"note{nth}.yaml"), "w").write(f"nth: {nth}\n")
        if at % 2 == 0:
            head = (f"---\nschema: context/v1\nid: ai.d{at}\nkind: context\ntitle: Directory {at}\n"
                    f"description: What directory {at} is for.\nstatus: active\nproviders: [\"*\"]\n"
                    f"audience: [human, agent]\nscope: {'subtree' if at % 6 == 0 else 'directory'}\n"
                    "composition: extend\n")
            body = f"order: {at % 7 * 10}\n---\n\n# Directory {at}\n\n" + "What applies here is said in these lines.\n" * 8
            open(os.path.join(place, "README.md"), "w").write(head + body)
    for command in (["init", "-q"], ["config", "gc.auto", "0"], ["add", "-A"]):
        subprocess.run(["git", *command], cwd=top, check=True, env=env)
    return top, paths


def contracts(binary, folder, env):
    top, paths = layer(folder, env)
    print("\n100,000 directories, 50,000 contracts, 250,000 tracked files")
    with open(os.path.join(folder, "readmes"), "wb") as names:
        subprocess.run(["git", "ls-files", "-z", "--", ".ai/README.md", ".ai/**/README.md"], cwd=top, check=True, env=env,
                       stdout=names)
    both = measure("git ls-files -z, and head -c 4096 over the READMEs",
                   ["sh", "-c", "git ls-files -z -- .ai > /dev/null; xargs -0 head -q -c 4096 < ../readmes > /dev/null"],
                   top, env)
    plain = measure("contract list --json", [binary, "contract", "list", "--json"], top, env)
    chains = measure("contract list --json --effective", [binary, "contract", "list", "--json", "--effective"], top, env)
    print(f"{'':<64} {plain / both:9.2f} and {chains / both:.2f} times git and head")
    measure("contract explain of one directory", [binary, "contract", "explain", ".ai/" + paths[90_000]], top, env)


def measured(doc, name, measure_all):
    """Runs a script's measurements with the program that its argument names, in a folder of their own."""
    if len(sys.argv) != 2:
        sys.exit(doc)
    binary = os.path.abspath(sys.argv[1])
    folder = os.path.realpath(tempfile.mkdtemp(prefix=f"dagwood-{name}-"))
    env = {"PATH": os.environ["PATH"], "HOME": folder, "LC_ALL": "C.UTF-8"}
    try:
        print(f"{os.cpu_count()} cores; load {os.getloadavg()[0]:.2f} at the start")
        measure_all(binary, folder, env)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def commands(binary, folder, env):
    resources(binary, folder, env)
    contracts(binary, folder, env)


if __name__ == "__main__":
    measured(__doc__, "figures", commands)
