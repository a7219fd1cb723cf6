package product

import (
	"strconv"

	"github.com/slipway-dev/slipway/internal/lazyregexp"
	"github.com/slipway-dev/slipway/internal/yamlfile"
)

// maxFile bounds slipway.yaml, bases.lock.yaml and images.txt in bytes. Real ones have a few
// thousand.
const maxFile = 1 << 20

// decode reads slipway.yaml or bases.lock.yaml into v.
func decode(path string, b []byte, v any) *yamlfile.Document {
	return yamlfile.Decode(path, b, yamlfile.Options{
		MaxBytes: maxFile, MaxValues: 20_000, MaxText: 16 << 20, MaxDepth: 32,
		Start: "start with apiVersion: " + APIVersion,
	}, v)
}

var apiForm = lazyregexp.New(`^slipway/v([1-9][0-9]*)$`)

// apiVersion checks the version of a file's format. If it is newer than this code, all other
// errors are dropped: nothing else is known of such a file.
func apiVersion(d *yamlfile.Document, v *string) (newer bool) {
	if *v == "" || *v == APIVersion {
		return false
	}
	if m := apiForm.FindStringSubmatch(*v); m != nil {
		if n, err := strconv.Atoi(m[1]); err != nil || n > 1 {
			d.Errors = nil
			d.Errorf(v, "%s is newer than this slipway, which reads %s: use a newer slipway", *v, APIVersion)
			return true
		}
	}
	d.Errorf(v, "unknown apiVersion %q: write %s", *v, APIVersion)
	return false
}
