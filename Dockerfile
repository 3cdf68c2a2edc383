# docker build -t chat-gateway .
#
# BUILD_IMAGE builds the gateway: any image with Node 20 or newer and npm 11 or newer. BASE_IMAGE runs it: any image with glibc
# and libstdc++; a shell is not needed. The gateway runs on the Node of our lock file, whichever Node the images have.
ARG BUILD_IMAGE=node:24-bookworm-slim
ARG BASE_IMAGE=debian:bookworm-slim

FROM ${BUILD_IMAGE} AS build
# The time of the commit in seconds since 1970 (`git log -1 --format=%ct`). `x-gateway-version` shows it.
ARG SOURCE_DATE_EPOCH
WORKDIR /source
COPY package.json package-lock.json .npmrc ./
COPY packages/formats/package.json packages/formats/
COPY packages/conform/package.json packages/conform/
COPY packages/figures/package.json packages/figures/
COPY packages/import/package.json packages/import/
COPY packages/dashboard/package.json packages/dashboard/
COPY bin/checked-node.cjs bin/node-checksums.json bin/
RUN npm ci --ignore-scripts && node bin/checked-node.cjs
COPY . .
RUN npm run build \
 && mkdir -p /image/opt/chat-gateway/packages/dashboard /image/opt/chat-gateway/docs /image/usr/local/bin /image/etc/chat-gateway /data \
 && cp -r package.json LICENSE gateway.example.yaml bin dist /image/opt/chat-gateway/ \
 && cp -r packages/dashboard/dist /image/opt/chat-gateway/packages/dashboard/ \
 && cp -r docs/dist /image/opt/chat-gateway/docs/ \
 && cp node_modules/node-linux-*/bin/node /image/usr/local/bin/node \
 && cp node_modules/node-linux-*/LICENSE /image/opt/chat-gateway/dist/node-licence.txt \
 && ln -s /data /image/etc/chat-gateway/data

FROM ${BASE_IMAGE}
LABEL org.opencontainers.image.title="Chat Gateway" \
      org.opencontainers.image.licenses="MIT" \
      org.opencontainers.image.description="A fair, exact, multi-tenant gateway between chat clients and model providers."
COPY --from=build /image /
# An unprivileged user that may write only to the data folder.
COPY --from=build --chown=65532:65532 /data /data
USER 65532:65532
VOLUME /data
# The gateway uses a gateway.yaml in this folder. Without one, it runs on defaults, and on the providers whose variables are set.
# By default its data folder is the volume.
WORKDIR /etc/chat-gateway
ENV NODE_ENV=production HEALTH_PORT=8080
EXPOSE 8080 8081
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=15s --timeout=5s --start-period=60s --retries=3 \
  CMD ["/usr/local/bin/node", "-e", "fetch(`http://127.0.0.1:${process.env.HEALTH_PORT}/readyz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["/usr/local/bin/node", "/opt/chat-gateway/bin/chat-gateway.cjs"]
CMD ["serve", "--host", "0.0.0.0"]
