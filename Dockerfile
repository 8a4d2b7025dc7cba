# rollcall on Node 24: the built package, with what it needs to run and nothing of its development.
#   docker build -t rollcall .        docker run --rm rollcall demo        docs/deploy.md says more
FROM node:24.18.0-alpine@sha256:a0b9bf06e4e6193cf7a0f58816cc935ff8c2a908f81e6f1a95432d679c54fbfd AS build
WORKDIR /rollcall
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json ./
COPY tools tools
COPY src src
COPY jobs jobs
RUN npm run build
# The tools of the development go; the packages that are optional elsewhere stay, in the versions of the lock file. Types and source
# maps are a third of the rest.
RUN npm pkg delete devDependencies peerDependenciesMeta \
 && npm prune --ignore-scripts --no-audit --no-fund \
 && find node_modules dist -type f \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' \) -exec rm -f {} +

FROM node:24.18.0-alpine@sha256:a0b9bf06e4e6193cf7a0f58816cc935ff8c2a908f81e6f1a95432d679c54fbfd
ARG VERSION=unknown
ARG REVISION=unknown
LABEL org.opencontainers.image.title="rollcall" \
      org.opencontainers.image.description="Bulk membership imports for chat groups, with the outcome of every row" \
      org.opencontainers.image.licenses="MIT" \
      org.opencontainers.image.version="$VERSION" \
      org.opencontainers.image.revision="$REVISION"
WORKDIR /rollcall
# A volume takes over who owns the folder that it is mounted on, and who may look into it.
RUN mkdir -p /data /run/sandbox /run/prometheus \
 && chown 1000:1000 /data /run/sandbox /run/prometheus && chmod 700 /data \
 && ln -s /rollcall/bin/rollcall.js /usr/local/bin/rollcall
COPY --from=build /rollcall/node_modules node_modules
COPY package.json README.md CHANGELOG.md LICENSE ./
COPY docs docs
COPY samples samples
COPY deploy/healthcheck.js deploy/
COPY bin bin
COPY --from=build /rollcall/dist dist
# By number, so that an orchestrator can see that it is not root.
USER 1000:1000
# Temporary files beside the data: on its disk, and the root file system may be read-only.
ENV NODE_ENV=production ROLLCALL_DATA_DIR=/data TMPDIR=/data
VOLUME /data
EXPOSE 7700
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=20s CMD ["node", "/rollcall/deploy/healthcheck.js"]
ENTRYPOINT ["rollcall"]
CMD ["--help"]
