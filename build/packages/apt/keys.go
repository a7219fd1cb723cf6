package apt

import (
	"fmt"
	"strings"

	"github.com/slipway-dev/slipway/build/dockerfile/tree"
	"github.com/slipway-dev/slipway/build/packages/debian"
)

// keyrings returns the keys that may sign the index of a source: those that it names, or all that
// the stage trusts.
func keyrings(t *tree.Tree, src debian.Source) (all []debian.Keyring, err error) {
	names := src.SignedBy
	if len(names) == 0 {
		names = append(parts(t, "/etc/apt/trusted.gpg.d", "gpg", "/etc/apt/trusted.gpg"),
			parts(t, "/etc/apt/trusted.gpg.d", "asc", "")...)
	}
	for _, name := range names {
		if strings.Contains(name, "-----BEGIN PGP") {
			all = append(all, debian.Keyring{File: src.Pos, Data: []byte(name)})
			continue
		}
		text, err := tree.ReadText(t, name)
		if err != nil {
			return nil, err
		}
		if text == nil {
			return nil, fmt.Errorf("%s: the stage has no key %s: COPY it before, or correct signed-by", src.Pos, name)
		}
		all = append(all, debian.Keyring{File: name, Data: text})
	}
	return all, nil
}
