"""Verifies the evidence in this folder with the standard library of Python 3.8 or newer: python3 verify.py [KEYFILE]

KEYFILE holds the public key of the log as you know it, and the notes of its successions, if you have them. Left out,
it is the one that came with the evidence.
"""

import base64
import hashlib
import json
import os
import re
import sys

here = os.path.dirname(os.path.abspath(__file__))


def fail(message):
    sys.exit("NOT PROVEN: " + message)


def must(condition, message):
    if not condition:
        fail(message)


def read(name):
    try:
        with open(os.path.join(here, name), "rb") as file:
            return file.read()
    except OSError as error:
        fail("a file cannot be read: %s." % error)


def sha256(*parts):
    return hashlib.sha256(b"".join(parts)).digest()


def lines_of(text):
    return [line for line in text.split("\n") if line != ""]


# Ed25519 (RFC 8032), for verifying alone: points are (x, y, z, x*y/z).
P = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P


def add(one, other):
    (x1, y1, z1, t1), (x2, y2, z2, t2) = one, other
    a, b = (y1 - x1) * (y2 - x2), (y1 + x1) * (y2 + x2)
    c, d = 2 * t1 * t2 * D, 2 * z1 * z2
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P


def times(number, point):
    result = (0, 1, 1, 0)
    while number:
        if number & 1:
            result = add(result, point)
        point, number = add(point, point), number >> 1
    return result


def point_of(encoded):
    number = int.from_bytes(encoded, "little")
    sign, y = number >> 255, number & (2**255 - 1)
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P:
        x = x * pow(2, (P - 1) // 4, P) % P
    must(y < P and (x * x - square) % P == 0 and not (x == 0 and sign), "a key or a signature is malformed.")
    x = x if x & 1 == sign else P - x
    return x, y, 1, x * y % P


BASE = point_of((4 * pow(5, P - 2, P) % P).to_bytes(32, "little"))


def is_signed(text, signature, key):
    if len(signature) != 64 or int.from_bytes(signature[32:], "little") >= ORDER:
        return False
    challenge = int.from_bytes(hashlib.sha512(signature[:32] + key + text).digest(), "little") % ORDER
    left = times(int.from_bytes(signature[32:], "little"), BASE)
    right = add(point_of(signature[:32]), times(challenge, point_of(key)))
    return all((left[at] * right[2] - right[at] * left[2]) % P == 0 for at in (0, 1))


# Keys and notes: https://c2sp.org/signed-note
def key_in(line):
    found = re.fullmatch(r"([^\s+]+)\+[0-9a-f]{8}\+([A-Za-z0-9+/]{44})", line.strip())
    raw = base64.b64decode(found[2]) if found else b""
    must(raw[:1] == b"\1", "a key is none of Ed25519.")
    return {"name": found[1], "id": sha256(found[1].encode() + b"\n", raw)[:4], "raw": raw[1:], "line": line.strip()}


def open_note(note, keys):
    """The lines of a signed note, and which of the keys signed it; None: none."""
    end = note.rfind("\n\n") + 1
    for line in lines_of(note[end:]):
        found = re.fullmatch(r"— (\S+) (\S+)", line)
        signature = base64.b64decode(found[2]) if found else b""
        for key in keys:
            known = found and key["name"] == found[1] and key["id"] == signature[:4]
            if known and is_signed(note[:end].encode(), signature[4:], key["raw"]):
                return note[: end - 1].split("\n"), key
    return None


def must_open(file, keys):
    return open_note(read(file).decode(), keys) or fail(file + " is not signed by any key of the log.")


def known_keys():
    """The keys given, and those that a known one signed as its successor."""
    text = read(os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else "key.txt").decode()
    text = (text + "\n" + read("successions.txt").decode()).replace("\r", "")
    known, *successions = re.split(r"\n(?=\S+ successor\n)", text)
    keys, before = [key_in(line) for line in lines_of(known)], 0
    # In any order.
    while before < len(keys):
        before = len(keys)
        for note in successions:
            lines, key = open_note(note.rstrip(), keys) or ([""], None)
            if key and lines[0] == key["name"] + " successor" and lines[1] not in ["key " + each["line"] for each in keys]:
                keys.append({**key_in(lines[1].replace("key ", "", 1)), "given": key.get("given", key["line"])})
    return keys


def number_text(value):
    """As ECMAScript writes it, which is what RFC 8785 wants."""
    if value == 0:
        return "0"
    mantissa, _, exponent = repr(abs(value)).partition("e")
    whole, _, part = mantissa.partition(".")
    digits = (whole + part).lstrip("0")
    point = len(digits) - len(part) + int(exponent or 0)
    digits = digits.rstrip("0")
    if len(digits) <= point <= 21:
        text = digits + "0" * (point - len(digits))
    elif 0 < point <= 21:
        text = digits[:point] + "." + digits[point:]
    elif -6 < point <= 0:
        text = "0." + "0" * -point + digits
    else:
        more = "." + digits[1:] if len(digits) > 1 else ""
        text = "%s%se%+d" % (digits[0], more, point - 1)
    return "-" + text if value < 0 else text


def canonical(value):
    """RFC 8785; numbers were read as floating point."""
    if isinstance(value, float):
        return number_text(value)
    if isinstance(value, list):
        return "[" + ",".join(map(canonical, value)) + "]"
    if isinstance(value, dict):
        names = sorted(value, key=lambda name: name.encode("utf-16-be"))
        return "{" + ",".join(json.dumps(name, ensure_ascii=False) + ":" + canonical(value[name]) for name in names) + "}"
    return json.dumps(value, ensure_ascii=False)


def root_of(leaf, index, size, hashes):
    """RFC 9162, 2.1.3.2"""
    found, node, last = leaf, index, size - 1
    for other in hashes:
        must(last > 0, "a proof is too long.")
        if node % 2 == 1 or node == last:
            found = sha256(b"\1", other, found)
            while node % 2 == 0 and node != 0:
                node, last = node // 2, last // 2
        else:
            found = sha256(b"\1", found, other)
        node, last = node // 2, last // 2
    must(last == 0, "a proof is too short.")
    return base64.b64encode(found).decode()


def main():
    keys = known_keys()
    manifest, _ = must_open("manifest.txt", keys)
    for line in manifest[1:]:
        expected, name = line.split("  ", 1)
        must(sha256(read(name)).hex() == expected, name + " is not what was signed.")
    (origin, size_text, root), key = must_open("checkpoint.txt", keys)
    size = int(size_text)
    must(origin == key["name"], "the checkpoint is of another log than the key.")
    must(manifest[0] == origin + " evidence", "the list of files is of another log.")
    proofs = [json.loads(line) for line in lines_of(read("proofs.ndjson").decode())]
    events = [json.loads(line, parse_int=float) for line in lines_of(read("events.ndjson").decode())]
    must(0 < len(events) == len(proofs), "events and proofs are not as many.")
    streams, index = {}, -1
    for event, proof in zip(events, proofs):
        what = "%s %s at position %s" % (event["type"], event["id"], event["position"])
        bound = dict(event["metadata"])
        hashed = bound.pop("hash")
        parts = {name: event[name] for name in ("data", "id", "revision", "stream", "type")}
        text = canonical({**parts, "metadata": bound})
        must(sha256(text.encode()).hex() == hashed, what + " is not what its hash says.")
        must(index < proof["leafIndex"] < size, "the proof for " + what + " is of another place.")
        index = proof["leafIndex"]
        hashes = [base64.b64decode(each) for each in proof["hashes"]]
        must(root_of(sha256(b"\0", hashed.encode()), index, size, hashes) == root, what + " is not in the log.")
        before = streams.get(event["stream"])
        follows = before is None or before == (int(event["revision"]) - 1, bound.get("previousHash"))
        must(follows, "something is missing or wrong before " + what + ".")
        streams[event["stream"]] = (int(event["revision"]), hashed)
        told = (event["position"], bound["time"], bound["user"], event["type"], bound["kind"], bound["fullyQualifiedName"])
        print("%s  %s  %s  %s  %s %s" % told)
    print("\nPROVEN: these %d events of %d %s are in the log %s as it was when it had %d events," % (len(events), len(streams), "entity" if len(streams) == 1 else "entities", origin, size))
    print("exactly so, and between the first and the last of an entity none is missing.")
    print("It was signed by " + key["line"])
    if len(sys.argv) == 1:
        print("Compare this key with the one that you know the log by, or give that one: python3 verify.py KEYFILE")
    elif "given" in key:
        print("That is a successor of the key that you gave, %s: each key signed the one after it." % key["given"])
    else:
        print("That is the key that you gave.")


main()
