package apt

import (
	"fmt"
	"path"
	"strings"

	"github.com/slipway-dev/slipway/build/dockerfile/tree"
	"github.com/slipway-dev/slipway/build/packages/debian"
)

// keyring returns the keys that may sign the index of a source: those that it names, or all that
// the stage trusts. id tells one keyring from another.
func keyring(t *tree.Tree, src debian.Source) (keys *debian.Keyring, id string, err error) {
	keys = &debian.Keyring{}
	if src.Key != "" {
		return keys, src.Key, keys.Add(at(src), []byte(src.Key))
	}
	var files, fingerprints []string
	for _, s := range src.SignedBy {
		if path.IsAbs(s) {
			files = append(files, s)
		} else {
			fingerprints = append(fingerprints, s)
		}
	}
	if len(files) == 0 {
		files = append(parts(t, "/etc/apt/trusted.gpg.d", "gpg", "/etc/apt/trusted.gpg"),
			parts(t, "/etc/apt/trusted.gpg.d", "asc", "")...)
	}
	for _, name := range files {
		text, err := tree.ReadText(t, name)
		if err != nil {
			return nil, "", err
		}
		if text == nil {
			return nil, "", fmt.Errorf("%s: the stage has no key %s: COPY it before, or correct signed-by",
				at(src), name)
		}
		if err := keys.Add(name, text); err != nil {
			return nil, "", err
		}
		id += string(text)
	}
	if len(fingerprints) > 0 {
		keys = keys.Only(fingerprints)
	}
	return keys, id + strings.Join(fingerprints, " "), nil
}

// at returns where a source stands.
func at(src debian.Source) string { return fmt.Sprintf("%s:%d", src.File, src.Line) }
