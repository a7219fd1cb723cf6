package workflows

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestModels checks that each action of testdata does what the version does that the workflows pin:
// it names the version whose source was read.
func TestModels(t *testing.T) {
	models, used := map[string]string{}, map[string]bool{}
	own, err := filepath.Glob("testdata/actions/*/action.yml")
	must(t, err)
	for _, file := range own {
		name := "actions/" + filepath.Base(filepath.Dir(file))
		m := regexp.MustCompile(`^# Models (actions/[a-z-]+@[0-9a-f]{40} # v[0-9.]+)\n`).FindStringSubmatch(read(t, file))
		if m == nil || !strings.HasPrefix(m[1], name+"@") {
			t.Fatalf("%s does not begin with the version that it models: # Models %s@COMMIT # vVERSION", file, name)
		}
		models[name] = m[1]
	}
	uses := regexp.MustCompile(`uses: ((actions/[a-z-]+)@\S+(?: # v\S+)?)`)
	for _, pattern := range []string{".github/workflows/*.yml", ".github/actions/*/action.yml", "actions/*/action.yml"} {
		files, err := filepath.Glob(filepath.Join("../..", pattern))
		must(t, err)
		for _, file := range files {
			for _, m := range uses.FindAllStringSubmatch(read(t, file), -1) {
				model := models[m[2]]
				used[m[2]] = true
				if model != "" && m[1] != model {
					t.Errorf("%s uses %s, and testdata models %s: read what has changed, and model that", file, m[1], model)
				}
			}
		}
	}
	for name, model := range models {
		if !used[name] {
			t.Errorf("no workflow uses %s", name)
		}
		major, _, _ := strings.Cut(model[strings.LastIndex(model, "# v")+2:], ".")
		for _, file := range []string{"testdata/audit.yml", "testdata/setup.yml"} {
			for _, m := range uses.FindAllStringSubmatch(read(t, file), -1) {
				if m[2] == name && m[1] != name+"@"+major {
					t.Errorf("%s uses %s, and testdata models %s", file, m[1], model)
				}
			}
		}
	}
}

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	must(t, err)
	return string(text)
}
