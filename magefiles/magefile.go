//go:build mage

// The targets of this repository; `go tool mage -l` lists them.
package main

import (
	//mage:import
	_ "github.com/slipway-dev/slipway/target"
)
