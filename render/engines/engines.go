// Package engines is imported by programs that render charts and kustomizations: it links Helm's
// and kustomize's own libraries, which take longer to compile than all other packages together.
package engines

import _ "github.com/slipway-dev/slipway/render/kustomize/engine"
