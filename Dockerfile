# syntax=docker/dockerfile:1

# One image for both processes: the API (the default command) and the indexer (node cli/main.ts …).
# Node runs the TypeScript files as they are; only what browsers load is built. Dependencies and pages have stages of
# their own.

ARG NODE_IMAGE=node:24.21.0-bookworm-slim

FROM ${NODE_IMAGE} AS dependencies
WORKDIR /app
COPY package.json package-lock.json ./
# No dependency that is needed at run time has an install script (a test holds that), so none is run. Optional ones are
# left out, too: TypeScript is one of viem's, and npm would install it with its compiler because development uses it.
RUN --mount=type=cache,target=/root/.npm npm ci --omit=dev --omit=optional --ignore-scripts --no-audit --no-fund

# LOCAL_EMBEDDINGS=true adds the packages that run a model of embeddings inside the processes, without the binaries of
# other systems. The model itself is mounted.
ARG LOCAL_EMBEDDINGS=false
COPY dev/embeddings/runtime .local/embeddings/runtime/
RUN --mount=type=cache,target=/root/.npm if [ "$LOCAL_EMBEDDINGS" = true ]; then \
      cd .local/embeddings/runtime && npm ci --ignore-scripts --no-audit --no-fund \
      && rm -r node_modules/onnxruntime-node/bin/napi-v6/darwin node_modules/onnxruntime-node/bin/napi-v6/win32; \
    fi

FROM ${NODE_IMAGE} AS pages
WORKDIR /app
COPY package.json package-lock.json ./
# The bundler is a tool of development, with a hash in the same lock file. Nothing of this stage is kept but what it builds.
RUN --mount=type=cache,target=/root/.npm npm ci --ignore-scripts --no-audit --no-fund
COPY src src/
COPY console console/
RUN node console/build.ts

FROM ${NODE_IMAGE}
ARG VERSION=1.0.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="entity-search" \
      org.opencontainers.image.description="Entity search over Postgres and Elasticsearch: keyed API and indexer" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"

# Inside a container the service is reached from outside it; which port the host shows is the host's choice.
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000

WORKDIR /app
COPY --from=dependencies /app/node_modules ./node_modules
COPY --from=dependencies /app/.local ./.local
COPY --from=pages /app/dist ./dist
COPY package.json LICENSE ./
COPY mappings ./mappings
COPY indexer ./indexer
COPY cli ./cli
COPY src ./src

# A start with compiled modules takes 0.55 s of CPU instead of 0.9, and nothing can be kept at run time. Node keeps them
# by user, so that of the image compiles them. The API starts without its engines.
RUN install -d -o 1000 .local/compile-cache \
    && NODE_ENV= PORT=0 DATABASE_URL=postgres://localhost ELASTICSEARCH_URL=http://localhost:9200 \
      setpriv --reuid=1000 --regid=1000 --clear-groups timeout --preserve-status 10 node src/main.ts \
    && chown -R root .local/compile-cache && chmod -R a+rX .local/compile-cache

# All files belong to root and nothing is written at run time: the file system may be read only.
# The number, not the name: Kubernetes' runAsNonRoot can check only that.
USER 1000:1000
EXPOSE 3000

HEALTHCHECK --interval=10s --timeout=5s --start-period=20s --start-interval=1s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.PORT + '/api/health', { signal: AbortSignal.timeout(4000) }).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]

# Both processes handle SIGTERM themselves. Run with --init (compose: init: true), so that something reaps orphans.
CMD ["node", "src/main.ts"]
