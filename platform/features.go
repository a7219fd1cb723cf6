package platform

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// joinFeatures returns os.features as [Platform.OSFeatures] has them: sorted, each once. Whatever
// is not a letter, a digit or one of _ . - is escaped as in a URL, which containerd reads, too.
func joinFeatures(list []string) string {
	var all []string
	for _, f := range list {
		if f != "" {
			all = append(all, escape(f))
		}
	}
	slices.Sort(all)
	return strings.Join(slices.Compact(all), "+")
}

func escape(feature string) string {
	var b strings.Builder
	for _, c := range []byte(feature) {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', strings.IndexByte("_.-", c) >= 0:
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

// splitFeatures returns the features of a text such as erofs+other. A feature that is empty or
// has a % without two hexadecimal digits is an error.
func splitFeatures(text string) ([]string, error) {
	if text == "" {
		return nil, nil
	}
	all := strings.Split(text, "+")
	for n, f := range all {
		var err error
		if all[n], err = url.PathUnescape(f); err != nil || f == "" {
			return nil, fmt.Errorf("invalid feature %q", f)
		}
	}
	return all, nil
}

// parseFeatures returns a text that names features as [Platform.OSFeatures] has them.
func parseFeatures(text string) (string, error) {
	all, err := splitFeatures(text)
	return joinFeatures(all), err
}
