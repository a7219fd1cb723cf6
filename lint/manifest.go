package lint

import (
	"errors"

	"github.com/slipway-dev/slipway/internal/yamlfile"
	"github.com/slipway-dev/slipway/render/workload"
)

// manifests are manifests that belong together.
type manifests struct {
	files   []string
	objects []workload.Object
	pods    []*pod
	classes workload.RuntimeClasses
	allows  []*allow // by comments
	origins map[string]func(line int) string
}

// read reads manifests. The error is about those that cannot be read, of which the result has
// nothing.
func read(files []File) (*manifests, error) {
	m := &manifests{origins: map[string]func(int) string{}}
	var errs []error
	for _, f := range files {
		objects, err := workload.Read(f.Name, f.Text)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		m.allows = append(m.allows, comments(f, objects, len(m.objects))...)
		m.objects = append(m.objects, objects...)
		m.files = append(m.files, f.Name)
		m.origins[f.Name] = f.Origin
	}
	m.classes = workload.NewRuntimeClasses(m.objects)
	for n, o := range m.objects {
		if o.Pod != nil {
			m.pods = append(m.pods, newPod(n, o, m.classes))
		}
	}
	return m, errors.Join(errs...)
}

// origin returns what a line was rendered from; "" if it is not known.
func (m *manifests) origin(pos yamlfile.Pos) string {
	if origin := m.origins[pos.File]; origin != nil {
		return origin(pos.Line)
	}
	return ""
}
