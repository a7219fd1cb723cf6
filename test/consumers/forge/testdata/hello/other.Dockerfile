FROM scratch AS linux
FROM nanoserver AS windows
FROM ${TARGETOS}
ARG TARGETOS
COPY other.txt /app/
