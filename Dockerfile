FROM python:3.11-slim

ENV PYTHONUNBUFFERED=1 PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1

WORKDIR /app
COPY requirements.lock ./
RUN python -m pip install --require-hashes -r requirements.lock

COPY pyproject.toml README.md LICENSE ./
COPY bot ./bot
COPY seeds ./seeds
RUN python -m pip install --no-deps --no-build-isolation . \
    && useradd --create-home --uid 10001 paperboy \
    && install -d -o paperboy /data

USER paperboy
# Config and everything that is kept live here: mount a volume.
WORKDIR /data
VOLUME ["/data"]
STOPSIGNAL SIGTERM
ENTRYPOINT ["paperboy"]
CMD ["run"]
