FROM python:3.12-slim

RUN useradd --create-home --uid 1000 lab && mkdir /data && chown lab /data
WORKDIR /source
COPY requirements.txt .
RUN pip install --no-cache-dir -r requirements.txt
COPY requirements-boosting.txt pyproject.toml setup.py app.py LICENSE README.md ./
COPY .streamlit .streamlit
COPY ensembles ensembles
COPY storage storage
COPY runner runner
COPY server server
COPY pages pages
RUN pip install --no-cache-dir --no-deps .

USER lab
WORKDIR /data
ENV ENSEMBLE_LAB_HOME=/data \
    ENSEMBLE_LAB_CACHE=/home/lab/.cache/ensemble-lab \
    STREAMLIT_SERVER_ADDRESS=0.0.0.0 \
    PYTHONUNBUFFERED=1
# Kernels are compiled here, so that nobody waits for them.
RUN ensemble-lab warm
VOLUME /data
EXPOSE 8501
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s \
    CMD python -c "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8501/health', timeout=4)"
CMD ["ensemble-lab", "serve"]
