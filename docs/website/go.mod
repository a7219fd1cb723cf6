module github.com/slipway-dev/slipway/docs/website

go 1.26.8

replace github.com/slipway-dev/slipway => ../..

require (
	github.com/slipway-dev/slipway v0.0.0-00010101000000-000000000000
	github.com/yuin/goldmark v1.8.7
)

require golang.org/x/mod v0.42.0 // indirect
