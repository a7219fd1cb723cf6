//go:build !race

package engines

// A program with the race detector renders no charts: with it, Kubernetes' client, which Helm
// imports, takes minutes to compile.
import _ "github.com/slipway-dev/slipway/render/chart/engine"
