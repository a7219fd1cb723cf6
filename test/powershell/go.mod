module github.com/slipway-dev/slipway/test/powershell

go 1.26.8

require (
	github.com/airbus-cert/tree-sitter-powershell v0.25.10
	github.com/tree-sitter/go-tree-sitter v0.25.0
)

require github.com/mattn/go-pointer v0.0.1 // indirect

require github.com/slipway-dev/slipway v0.0.0

replace github.com/slipway-dev/slipway => ../..
