# rollcall on Node 24, without what only its development needs.
FROM node:24-alpine AS packages
WORKDIR /rollcall
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund

FROM node:24-alpine
WORKDIR /rollcall
# A volume takes over who owns the folder that it is mounted on, and who may look into it.
RUN mkdir -p /data /run/sandbox && chown node:node /data /run/sandbox && chmod 700 /data
COPY --from=packages /rollcall/node_modules node_modules
COPY package.json LICENSE* ./
COPY src src
COPY jobs jobs
COPY samples samples
USER node
ENV ROLLCALL_DATA_DIR=/data
ENTRYPOINT ["node", "src/cli/rollcall.js"]
CMD ["--help"]
