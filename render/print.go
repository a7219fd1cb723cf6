package render

import (
	"bytes"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/slipway-dev/slipway/lock"
)

// manifest writes release.yaml: the head, then the documents.
func manifest(l *lock.Lock, docs []document, values map[string]any) (*Manifest, error) {
	var b bytes.Buffer
	m := &Manifest{Values: values, origins: map[int]string{}}
	for line := range strings.Lines(head(l)) {
		b.WriteString(strings.TrimRight("# "+line, " \n") + "\n")
	}
	for _, d := range docs {
		y, err := d.bytes()
		if err != nil {
			return nil, err
		}
		b.WriteString("---\n")
		var written yaml.Node
		if err := yaml.Unmarshal(y, &written); err == nil && len(written.Content) > 0 { // lint reports other documents
			origins{d, m.origins, bytes.Count(b.Bytes(), []byte("\n"))}.add(written.Content[0], d.yaml.Value)
		}
		b.Write(y)
	}
	m.Text = b.Bytes()
	return m, nil
}

// head describes the file and how it was made. Neither time nor machine is named: the same
// release has the same bytes.
func head(l *lock.Lock) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s\n\nMade by: slipway release\n", l.Name, l.Version)
	for i, s := range l.Sources {
		label := "   from: "
		if i > 0 {
			label = "         "
		}
		what := s.Name
		if s.Module != "" {
			what = s.Module
		}
		fmt.Fprintf(&b, "%s%s, revision %s\n", label, what, s.Revision)
	}
	fmt.Fprintf(&b, "\nEvery image is pinned by digest; %s has its tag, platforms and bases.\n", lock.Name)
	if l.Snapshot {
		fmt.Fprintf(&b,
			"\nThis is a snapshot: no registry was named. The names %s/… resolve only in the registry\nthat "+
				"Slipway embeds (slipway serve). For a cluster, make the release with -registry.\n", l.Registry)
	}
	if l.HasStubs() {
		b.WriteString("Its Windows images have stub bases and cannot run.\n")
	}
	return b.String()
}
