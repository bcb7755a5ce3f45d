FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY tsconfig.json tsconfig.build.json ./
COPY scripts scripts
COPY src src
COPY console console
COPY docs docs
COPY deploy deploy
COPY examples examples
COPY clients/typescript/README.md clients/typescript/README.md
COPY clients/evidence clients/evidence
COPY *.md ./
RUN node scripts/build.js && npm prune --omit=dev --ignore-scripts

FROM node:24-bookworm-slim
ENV NODE_ENV=production CATALOG_HOST=0.0.0.0 CATALOG_DATA_DIR=/data container=oci
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY --from=build /app/examples/demo examples/demo
COPY --chmod=755 bin bin
RUN mkdir /data && chown node:node /data && ln -s /app/bin/catalog.js /usr/local/bin/catalog
USER node
VOLUME /data
EXPOSE 8585
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s --retries=6 \
  CMD ["node", "bin/health.js"]
ENTRYPOINT ["catalog"]
CMD ["serve"]
