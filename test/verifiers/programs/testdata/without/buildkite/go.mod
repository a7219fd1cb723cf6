module github.com/buildkite/agent/v3

go 1.26.8
