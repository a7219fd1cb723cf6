// Package tekton reads what slipway shard tekton prints with Tekton's own types, strictly, and has
// Tekton's webhook code set defaults and validate it.
package tekton
