# The image contains only the program. It needs a PostgreSQL server: see compose.yaml.

FROM golang:1.26.8-bookworm AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
ENV CGO_ENABLED=0
RUN make build
# The folders to which the program writes. The final image has no shell that could create them.
RUN mkdir -p /root-of-image/tmp /root-of-image/var/lib/belfry

FROM scratch
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
COPY --from=build --chown=65532:65532 /root-of-image /
COPY --from=build /src/bin/belfry /usr/local/bin/belfry
ENV BELFRY_ADDR=0.0.0.0:8080 BELFRY_DATA_DIR=/var/lib/belfry
USER 65532:65532
VOLUME /var/lib/belfry
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=5s --timeout=6s --retries=12 CMD ["/usr/local/bin/belfry", "healthcheck"]
ENTRYPOINT ["/usr/local/bin/belfry"]
CMD ["serve"]
