"""The peer of serve.py: FastAPI and uvicorn in front of scikit-learn's LDA, with raw rows without a schema, no checks of
finite numbers, float32 throughout, no access log, and one BLAS thread per worker. `tuned` also uses uvloop and
httptools, which Debian's uvicorn does not bring; else it has asyncio and h11.

    usage: serve_peer.py fit DATA.npz MODEL | serve_peer.py serve MODEL PORT WORKERS [tuned]
"""
import json
import os
import pickle
import sys

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
import sklearn


def fit(data, model):
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

    with np.load(data) as arrays:
        lda = LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto").fit(arrays["x"], arrays["y"])
    lda.coef_, lda.intercept_ = lda.coef_.astype(np.float32), lda.intercept_.astype(np.float32)
    with open(model, "wb") as file:
        pickle.dump(lda, file)


def make_app():
    from fastapi import FastAPI, Request, Response

    sklearn.set_config(assume_finite=True)
    with open(os.environ["PEER_MODEL"], "rb") as file:
        lda = pickle.load(file)
    names = [str(label) for label in lda.classes_]
    width = lda.coef_.shape[1]
    app = FastAPI()

    @app.post("/predict")
    async def predict(request: Request):
        rows = np.frombuffer(await request.body(), np.float32).reshape(-1, width)
        probabilities = lda.predict_proba(rows)
        best = probabilities.argmax(axis=1)
        answers = [{"label": names[c], "probability": float(p[c])} for c, p in zip(best, probabilities)]
        return Response(json.dumps({"answers": answers}), media_type="application/json")

    return app


if __name__ == "__main__":
    if sys.argv[1] == "fit":
        fit(*sys.argv[2:])
    else:
        import uvicorn

        os.environ["PEER_MODEL"] = sys.argv[2]
        sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
        uvicorn.run("serve_peer:make_app", factory=True, port=int(sys.argv[3]), workers=int(sys.argv[4]),
                    loop="uvloop" if "tuned" in sys.argv else "asyncio",
                    http="httptools" if "tuned" in sys.argv else "h11", access_log=False, log_level="warning")
