module github.com/spiffe/go-spiffe/v2

go 1.26.8
