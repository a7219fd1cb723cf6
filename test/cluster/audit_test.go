package cluster

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
)

// audit counts the requests of users with a prefix, and lists those that were forbidden: user, verb and resource, each once.
func audit(file, prefix string) (seen int, refused []string, err error) {
	f, err := os.Open(file)
	if err != nil {
		return 0, nil, err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var e struct {
			Verb, RequestURI string
			User             struct{ Username string }
			ObjectRef        struct{ Resource, Subresource, Namespace, APIGroup string }
			Annotations      map[string]string
		}
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			return 0, nil, fmt.Errorf("%s: %w", file, err)
		}
		if !strings.HasPrefix(e.User.Username, prefix) {
			continue
		}
		seen++
		if e.Annotations["authorization.k8s.io/decision"] == "forbid" {
			what := strings.Trim(e.ObjectRef.Resource+"."+e.ObjectRef.APIGroup, ".")
			if e.ObjectRef.Subresource != "" {
				what += "/" + e.ObjectRef.Subresource
			}
			refused = append(refused, fmt.Sprintf("%s: %s %s in namespace %q (%s)", e.User.Username, e.Verb, what, e.ObjectRef.Namespace, e.RequestURI))
		}
	}
	slices.Sort(refused)
	return seen, slices.Compact(refused), lines.Err()
}
