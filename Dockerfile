# Pinned by version; `docker buildx imagetools inspect python:3.11.14-slim-bookworm` tells the digest to pin it by:
# --build-arg BASE=python:3.11.14-slim-bookworm@sha256:...
ARG BASE=python:3.11.14-slim-bookworm
FROM ${BASE}

RUN openssl version && useradd --create-home --uid 1000 lab && mkdir /data /tls /kernels && chown lab /data /tls /kernels
WORKDIR /source
COPY requirements.lock .
RUN pip install --no-cache-dir --require-hashes -r requirements.lock
COPY requirements.txt requirements-boosting.txt pyproject.toml setup.py app.py LICENSE README.md ./
COPY .streamlit .streamlit
COPY ensembles ensembles
COPY storage storage
COPY runner runner
COPY server server
COPY pages pages
COPY --chmod=755 deploy/certificates.sh /usr/local/bin/make-certificates
COPY --chmod=755 deploy/runner_alive.py /usr/local/bin/runner-alive
RUN pip install --no-cache-dir --no-deps .

USER 1000:1000
WORKDIR /data
# One thread for each worker process: trials run beside one another.
ENV ENSEMBLE_LAB_HOME=/data \
    ENSEMBLE_LAB_CACHE=/kernels \
    STREAMLIT_SERVER_ADDRESS=0.0.0.0 \
    OMP_NUM_THREADS=1 MKL_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 NUMBA_NUM_THREADS=1 \
    PYTHONUNBUFFERED=1
# Kernels are compiled here, so that nobody waits for them; other kinds of processors compile anew what they use.
RUN ensemble-lab warm
VOLUME /data
EXPOSE 8501
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s \
    CMD python -c "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8501/health', timeout=4)"
CMD ["ensemble-lab", "serve"]
