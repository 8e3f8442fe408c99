# The three programs in one image. Needs BuildKit, the default of today's Docker; podman and buildah take it too.
#   docker build -t ghcr.io/etcd-operator/etcd-operator:v0.1.0 .
#   docker buildx build --platform=linux/amd64,linux/arm64 .

# The bundles are the same for every architecture, so they are made once, on the machine that builds.
# By digest, so that a tag that is moved changes nothing; docs/decisions/0031 says where it comes from and how to renew it.
FROM --platform=$BUILDPLATFORM node:24.21.0-bookworm-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6 AS build
WORKDIR /src
ENV npm_config_cache=/var/cache/npm
COPY package.json package-lock.json .npmrc ./
COPY packages/ packages/
RUN --mount=type=cache,target=/var/cache/npm npm ci --ignore-scripts
COPY LICENSE ./
COPY scripts/build.ts scripts/
RUN node scripts/build.ts
# A link whose target keeps its ".mjs" runs as an ES module; relative, so that the tree works wherever it lies.
RUN mkdir -p /image/opt/etcd-operator /image/usr/local/bin \
 && cp -r LICENSE dist/THIRD-PARTY-LICENSES.txt dist/chunks /image/opt/etcd-operator/ \
 && for program in etcd-operator etcd-backup-operator etcd-restore-operator etcd-guard etcd-store-worker; do \
      cp "dist/$program.mjs" /image/opt/etcd-operator/ \
      && ln -s "../../../opt/etcd-operator/$program.mjs" "/image/usr/local/bin/$program" \
      || exit 1; \
    done \
 && chmod -R u=rwX,go=rX /image

# Nothing runs in this stage, so building for another architecture needs no emulation.
FROM node:24.21.0-bookworm-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6
LABEL org.opencontainers.image.title="etcd-operator" \
      org.opencontainers.image.description="Runs etcd clusters on Kubernetes: creates, resizes, upgrades, heals, backs up and restores them." \
      org.opencontainers.image.version="0.1.0" \
      org.opencontainers.image.licenses="Apache-2.0"
ENV NODE_ENV=production
COPY --from=build /image/ /
# A number, because runAsNonRoot cannot judge a name. Any other will do too: all files are readable by everyone.
USER 65532:65532
EXPOSE 8080
ENTRYPOINT ["etcd-operator"]
