#!/usr/bin/python3
"""Small files to start the fuzzers of npz, npy, csv, idx and requests from: what the readers take, in its variety.

usage: seeds.py FOLDER        (writes FOLDER/npz/..., FOLDER/npy/...; Debian: python3-numpy)
"""
import gzip
import io
import os
import struct
import sys

import numpy as np

X = np.array([[1, 2], [3, 4], [5, 6], [7, 8]], np.float32)
Y = np.array([0, 1, 0, 1])


def npy(array, version=None):
    out = io.BytesIO()
    np.lib.format.write_array(out, np.asarray(array), version)
    return out.getvalue()


def npz(packed=False, **arrays):
    out = io.BytesIO()
    (np.savez_compressed if packed else np.savez)(out, **arrays)
    return out.getvalue()


def idx(code, shape, data):
    return struct.pack(f">BBBB{len(shape)}I", 0, 0, code, len(shape), *shape) + data


def npy_seeds():
    for kind in ("<f2", ">f4", "<f8", "|i1", ">i2", "<i4", ">u8", "|u1", "|b1"):
        yield f"rows_{kind[1:]}", npy(X.astype(kind))
        yield f"labels_{kind[1:]}", npy(Y.astype(kind))
    yield "fortran", npy(np.asfortranarray(X))
    yield "cube", npy(np.asfortranarray(np.zeros((4, 2, 2), np.float32)))
    yield "unicode", npy(np.array(["a", "b\u00e9", "a", "b\u00e9"]))
    yield "bytes", npy(np.array([b"a", b"bc", b"a", b"bc"]))
    yield "version2", npy(X, (2, 0))
    yield "version3", npy(X, (3, 0))
    yield "single", npy(np.float32(1))
    yield "none", npy(np.zeros((0, 2), np.float32))


def npz_seeds():
    for packed in (False, True):
        end = "_packed" if packed else ""
        yield "split" + end, npz(packed, x_train=X, y_train=Y, x_test=X, y_test=Y, names=np.array(["a", "b"]))
        yield "whole" + end, npz(packed, x=X, y=np.array(["a", "b", "a", "b"]))
    yield "capitals", npz(X=X, Y=Y.astype(np.float64))
    yield "empty", npz()


def csv_seeds():
    table = "a,b,label\n1,2,x\n3,4,y\n5,6,x\n7,8,y\n"
    yield "header", table
    yield "tabs", table.replace(",", "\t")
    yield "semicolons", table.replace(",", ";").replace("\n", "\r\n")
    yield "plain", "1,2,0\n+3.5e2,-4,1\n5,6,0\n7,nan,1\n"
    yield "quoted", '"a","b ""c""\nd",label\n1,2,"x, y"\n3,4,z\n"5",6,"x, y"\n7,8,z\n'
    yield "split", "split,a,class\ntrain,1,x\ntest,2,x\ntrain,3,y\ntest,4,y\n"
    yield "counted", "0,1,target\n1,2,x\n3,4,y\n5,6,x\n7,8,y\n"
    yield "mark", "\ufeff" + table
    yield "gz", gzip.compress(table.encode(), mtime=0)


def idx_seeds():
    pixels = bytes([1, 2, 3, 255])
    yield "images", idx(8, (2, 1, 2), pixels)
    yield "labels", idx(8, (2,), bytes([0, 1]))
    for code, letter in ((9, "b"), (11, "h"), (12, "i"), (13, "f"), (14, "d")):
        yield f"images_{code}", idx(code, (2, 2), struct.pack(f">4{letter}", 1, 2, 3, 4))
        yield f"labels_{code}", idx(code, (2,), struct.pack(f">2{letter}", 0, 1))
    yield "gz", gzip.compress(idx(8, (2, 1, 2), pixels), mtime=0)
    yield "two_members", gzip.compress(idx(8, (2,), b"\0"), mtime=0) + gzip.compress(b"\1", mtime=0)


FORM = (b'--XX\r\nContent-Disposition: form-data; name="label"\r\n\r\na\r\n'
        b'--XX\r\nContent-Disposition: form-data; name="file"; filename="a \\"b\\".txt"\r\n'
        b"Content-Type: text/plain\r\n\r\nhello\r\n--XX\r\n"
        b'Content-Disposition: form-data; name=text\r\n\r\nmy printer is jammed\r\n--XX--\r\n')


def multipart_seeds():
    yield "form", b"multipart/form-data; boundary=XX\n" + FORM
    yield "body", FORM
    yield "header", b'form-data; flag; name="a;b"; filename=c.png'
    yield "target", b"/v1/brains/a%20b%2f%00/predict?top=3&label=a+b%3d&&x"


def json_body_seeds():
    yield "rows", '{"rows": [[0.1, -2e3, 3], [4, 5, 6]], "labels": ["a", "b"]}'
    yield "texts", '{"texts": ["a", "\\u00e9\\n"], "label": "b"}'
    yield "options", '{"options": {"due.sessions": "5", "a": 1, "b": true}, "label": "\\ud83d\\ude00"}'
    yield "wrong", '{"rows": [[[1]]], "texts": {"a": []}, "label": null}'


def request_seeds():
    rows = struct.pack("<6f", 5, 0, 0, 0, 5, 0)
    content = {"json": "application/json", "floats": "application/octet-stream", "npy": "application/x-npy",
               "form": "multipart/form-data; boundary=XX", "text": "text/plain", "image": "image/png"}

    def post(what, kind, body):
        head = f"POST /v1/brains/rows/{what}\ncontent-type: {content[kind]}\n\n"
        return head.encode() + (body if isinstance(body, bytes) else body.encode())

    for what in ("info", "history", "review", "map", "check", "snapshot", "export.onnx", "events"):
        yield "get_" + what, f"GET /v1/brains/rows/{what}\n\n"
    for path in ("", "metrics", "healthz", "readyz", "openapi.json", "assets/main.js", "v1/brains", "nothing"):
        yield "get_" + path.replace("/", "_"), f"GET /{path}\n\n"
    yield "predict", post("predict?top=2&unknown=5%25", "floats", rows)
    yield "predict_json", post("predict?explain=1&deadline=5", "json", '{"rows": [[5, 0, 0], [0, 0, 5]]}')
    yield "predict_npy", post("predict?confidence=90%25", "npy", npy(np.eye(3, dtype=np.float32)))
    yield "predict_lines", post("predict", "floats", rows).replace(b"\n\n", b"\naccept: application/x-ndjson\n\n", 1)
    yield "learn", post("learn?label=d&skip_suspicious=1", "floats", rows)
    yield "learn_labels", post("learn?dry_run=1", "json", '{"rows": [[5, 0, 0], [0, 0, 5]], "labels": ["a", "e"]}')
    yield "review", post("review?label=b", "floats", rows)
    yield "discover", post("discover?below=0.9&min_rows=1", "floats", 3 * rows)
    yield "sleep", post("sleep", "json", "")
    yield "forget", post("forget", "json", '{"label": "d"}')
    yield "rename", post("rename", "json", '{"from": "d", "to": "f"}')
    yield "merge", post("merge", "json", '{"from": "d", "into": "a"}')
    yield "texts", post("learn", "json", '{"texts": ["my printer", "a login"], "labels": ["x", "y"]}')
    yield "text", post("predict", "text", "no paper")
    yield "form", post("learn", "form", FORM)
    yield "image", post("predict", "image", b"\x89PNG\r\n\x1a\n")
    yield "new", 'POST /v1/brains\n\n{"name": "n", "features": "raw", "options": {"due.sessions": "3"}}'
    yield "options", "OPTIONS /v1/brains/rows/predict\norigin: http://evil.example\nhost: evil.example\n\n"


def main():
    seeds = {"npy": npy_seeds, "npz": npz_seeds, "csv": csv_seeds, "idx": idx_seeds, "multipart": multipart_seeds,
             "json_body": json_body_seeds, "request": request_seeds}
    for name, make in seeds.items():
        folder = os.path.join(sys.argv[1], name)
        os.makedirs(folder, exist_ok=True)
        for seed, contents in make():
            with open(os.path.join(folder, seed), "wb") as file:
                file.write(contents if isinstance(contents, bytes) else contents.encode())


if len(sys.argv) != 2:
    sys.exit(__doc__)
main()
