package lint_test

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/kubernetes/pkg/api/pod"
	"k8s.io/kubernetes/pkg/apis/core"
	k8sv1 "k8s.io/kubernetes/pkg/apis/core/v1"
	"k8s.io/kubernetes/pkg/apis/core/validation"
	"k8s.io/kubernetes/pkg/capabilities"
	"sigs.k8s.io/yaml"

	"github.com/slipway-dev/slipway/lint"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/product"
)

// minor is the Kubernetes release whose API server is asked: 1.36.
const minor = 36

func TestMain(m *testing.M) {
	// privileged and HostProcess pods are a matter of Pod Security today
	capabilities.Setup(true, 0)
	m.Run()
}

// TestAPIServer asks a real API server's validation about the manifests of each rule: it refuses
// the bad one exactly if the rule says so, at the field that the finding is about, and takes the
// good one.
func TestAPIServer(t *testing.T) {
	l, err := lock.Read("../../lint/testdata/release.lock.json")
	if err != nil {
		t.Fatal(err)
	}
	asked := 0
	for _, r := range lint.Rules() {
		a, err := txtar.ParseFile(filepath.Join("../../lint/testdata/rules", r.ID+".txtar"))
		if errors.Is(err, fs.ErrNotExist) {
			continue // a rule about slipway.yaml
		}
		if err != nil {
			t.Fatal(err)
		}
		bad, good := a.Files[0].Data, a.Files[1].Data
		if !strings.Contains(string(bad), "\nkind: Pod\n") {
			continue
		}
		asked++
		t.Run(r.ID, func(t *testing.T) {
			if errs := validate(t, good); len(errs) > 0 {
				t.Errorf("the good pod is refused: %v", errs)
			}
			errs := validate(t, bad)
			refused := r.Rejected != "" && release(t, r.Rejected) <= minor
			if (len(errs) > 0) != refused {
				t.Errorf("refused since %q by the rule, and by 1.%d: %v", r.Rejected, minor, errs)
			}
			o := lint.Options{Lock: l}
			if r.ReleaseOnly {
				o.Product = &product.Product{}
			}
			report, err := lint.Check(t.Context(), []lint.File{{Name: "bad.yaml", Text: bad}}, o)
			if err != nil || len(report.Findings) != 1 {
				t.Fatalf("%v, %v", report, err)
			}
			if refused && report.Findings[0].Severity != lint.Error {
				t.Errorf("refused, and found as a %s", report.Findings[0].Severity)
			}
			path := report.Findings[0].Path
			same := slices.ContainsFunc(errs, func(e *field.Error) bool { return strings.HasPrefix(path, e.Field) })
			if refused && !same {
				t.Errorf("found at %s, and refused for %v", path, errs)
			}
		})
	}
	if asked < 50 {
		t.Errorf("only %d rules were looked at", asked)
	}
}

// TestWithoutSystem takes spec.os out of the bad pods: fields that Windows does not have are then
// taken, and no error where nodes ignore them.
func TestWithoutSystem(t *testing.T) {
	taken := 0
	for _, r := range lint.Rules() {
		if !strings.HasPrefix(r.ID, "windows-") || r.Rejected == "" || release(t, r.Rejected) > minor {
			continue
		}
		a, err := txtar.ParseFile(filepath.Join("../../lint/testdata/rules", r.ID+".txtar"))
		if err != nil {
			t.Fatal(err)
		}
		text := strings.Replace(string(a.Files[0].Data), "  os:\n    name: windows\n", "", 1)
		errs := validate(t, []byte(text))
		switch always := r.ID == "windows-run-as-user-name" || r.ID == "windows-stop-signal"; {
		case always && len(errs) == 0:
			t.Errorf("%s is taken without spec.os", r.ID)
		case !always && len(errs) > 0:
			t.Errorf("%s is refused without spec.os: %v", r.ID, errs)
		case !always:
			taken++
		}
		if r.Ignored {
			warned(t, r.ID, text)
		}
	}
	if taken < 20 {
		t.Errorf("only %d rules were looked at", taken)
	}
}

// warned checks that a field which the API server accepts, and nodes ignore, is not an error.
func warned(t *testing.T, id, text string) {
	t.Helper()
	report, err := lint.Check(t.Context(), []lint.File{{Name: "bad.yaml", Text: []byte(text)}}, lint.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if n := slices.IndexFunc(report.Findings, func(f lint.Finding) bool { return f.Rule == id }); n < 0 ||
		report.Findings[n].Severity != lint.Warning {
		t.Errorf("%s without spec.os: %v, want a warning", id, report.Findings)
	}
}

// validate does with a pod what an API server does with one that is created.
func validate(t *testing.T, text []byte) field.ErrorList {
	t.Helper()
	given := &corev1.Pod{}
	if err := yaml.Unmarshal(text, given); err != nil {
		t.Fatal(err)
	}
	k8sv1.SetObjectDefaults_Pod(given)
	p := &core.Pod{}
	if err := k8sv1.Convert_v1_Pod_To_core_Pod(given, p, nil); err != nil {
		t.Fatal(err)
	}
	o := pod.GetValidationOptionsFromPodSpecAndMeta(&p.Spec, nil, &p.ObjectMeta, nil)
	return validation.ValidatePodCreate(p, o)
}

// release returns the minor version of 1.25.
func release(t *testing.T, text string) int {
	t.Helper()
	n, err := strconv.Atoi(strings.TrimPrefix(text, "1."))
	if err != nil {
		t.Fatal(err)
	}
	return n
}
