#!/usr/bin/env python3
"""A client for `overbar serve`: sends an XAIF document, prints the one that comes back.

    overbar serve &
    python3 client.py f.xaif adjoint > f_b.xaif

Python's standard library is all it needs.
"""
import sys
import urllib.error
import urllib.request


def boost(document, mode, server="http://127.0.0.1:8417", **options):
    """The document with derivatives. Options are the command line's long ones, `_` for `-`: boost(text, "adjoint", zero_init="true").

    Raises ValueError with what Overbar says where it refuses."""
    query = "&".join(f"{name.replace('_', '-')}={value}" for name, value in {"mode": mode, **options}.items())
    request = urllib.request.Request(f"{server}/v1/boost?{query}", data=document, headers={"Content-Type": "application/xml"})
    try:
        with urllib.request.urlopen(request) as answer:
            return answer.read()
    except urllib.error.HTTPError as refused:
        raise ValueError(refused.read().decode()) from None


if __name__ == "__main__":
    path, mode = sys.argv[1:3]
    with open(path, "rb") as file:
        try:
            sys.stdout.buffer.write(boost(file.read(), mode, *sys.argv[3:]))
        except ValueError as refused:
            sys.exit(str(refused))
