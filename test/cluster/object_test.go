package cluster

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"text/template"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/dynamic"
)

// values fill the templates in testdata.
type values struct {
	Name, Namespace, OS, Registry string
	Build, Run, Builder           string
	Placement                     string
}

// objects are those of a template in testdata.
func objects(file string, v values) ([]*unstructured.Unstructured, error) {
	v.Namespace, v.Registry = builds, registryAddress
	nindent := func(n int, s string) string {
		pad := strings.Repeat(" ", n)
		return pad + strings.ReplaceAll(strings.TrimSpace(s), "\n", "\n"+pad)
	}
	t, err := template.New(file).Funcs(template.FuncMap{"nindent": nindent}).ParseFiles(filepath.Join("testdata", file))
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := t.Execute(&b, v); err != nil {
		return nil, err
	}
	return decode(b.Bytes())
}

// decode reads the objects of a manifest.
func decode(manifest []byte) ([]*unstructured.Unstructured, error) {
	var list []*unstructured.Unstructured
	for d := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(manifest), 4096); ; {
		o := &unstructured.Unstructured{}
		err := d.Decode(o)
		if errors.Is(err, io.EOF) {
			return list, nil
		}
		if err != nil {
			return nil, err
		}
		if len(o.Object) > 0 {
			list = append(list, o)
		}
	}
}

// resource is the way to the objects of a kind. The kinds that the tests use have regular
// plurals, but for one.
func (c *cluster) resource(gvk schema.GroupVersionKind, namespace string) dynamic.ResourceInterface {
	plural := strings.ToLower(gvk.Kind) + "s"
	if strings.HasSuffix(gvk.Kind, "Class") {
		plural = strings.ToLower(gvk.Kind) + "es"
	}
	r := c.dynamic.Resource(gvk.GroupVersion().WithResource(plural))
	if namespace == "" {
		return r
	}
	return r.Namespace(namespace)
}

// create makes the objects of a template as a user would: strictly, so that an unknown field is
// an error.
func (c *cluster) create(ctx context.Context, file string, v values) error {
	list, err := objects(file, v)
	if err != nil {
		return err
	}
	for _, o := range list {
		err := answered(ctx, func() error {
			_, err := c.resource(o.GroupVersionKind(), o.GetNamespace()).Create(ctx,
				o, metav1.CreateOptions{FieldValidation: metav1.FieldValidationStrict})
			return err
		})
		if err != nil {
			return fmt.Errorf("creating %s %s: %w", o.GetKind(), o.GetName(), err)
		}
	}
	return nil
}

// answered makes a request again, as users and controllers do, where a webhook has not answered
// in the seconds that the apiserver gives it: the machine may be busy. One that never answers is
// an error after patience.
func answered(ctx context.Context, request func() error) error {
	var last error
	err := wait.PollUntilContextTimeout(ctx, tick, patience, true, func(context.Context) (bool, error) {
		last = request()
		late := apierrors.IsInternalError(last) && strings.Contains(last.Error(), "context deadline exceeded") &&
			(strings.Contains(last.Error(), "failed to call webhook") ||
				strings.Contains(last.Error(), "conversion webhook for"))
		return !late, nil
	})
	return errors.Join(last, err)
}

// kind is a kind of kpack's that its controller takes.
func kind(name string) schema.GroupVersionKind {
	return schema.GroupVersionKind{Group: "kpack.io", Version: "v1alpha2", Kind: name}
}

// ready waits until a condition of an object holds for what its specification is now.
func (c *cluster) ready(ctx context.Context, gvk schema.GroupVersionKind,
	namespace, name string,
) (*unstructured.Unstructured, error) {
	var found *unstructured.Unstructured
	err := c.until(ctx, func(ctx context.Context) (state string, done bool, err error) {
		if found, err = c.resource(gvk, namespace).Get(ctx, name, metav1.GetOptions{}); err != nil {
			return "", false, err
		}
		status, message := condition(found, "Ready")
		generation, _, _ := unstructured.NestedInt64(found.Object, "status", "observedGeneration")
		return message, status == "True" && generation == found.GetGeneration(), nil
	})
	if err != nil {
		return nil, fmt.Errorf("%s %s is not ready: %w", gvk.Kind, name, err)
	}
	return found, nil
}

// condition returns the status and message of a condition.
func condition(o *unstructured.Unstructured, kind string) (status, message string) {
	list, _, _ := unstructured.NestedSlice(o.Object, "status", "conditions")
	for _, item := range list {
		var c metav1.Condition
		m, _ := item.(map[string]any)
		if runtime.DefaultUnstructuredConverter.FromUnstructured(m, &c) == nil && c.Type == kind {
			return string(c.Status), c.Message
		}
	}
	return "", "it has no condition " + kind
}

// until asks until done or an error; an error, too, where a program of the release ends, one is
// refused something, or it takes too long: where the release has a mistake and the state or a log
// names it, that is soon. The last state says why then.
func (c *cluster) until(ctx context.Context, ask func(context.Context) (state string, done bool, err error)) error {
	var last string
	var broken error
	var named time.Time // when the mistake was first named
	start := time.Now()
	err := wait.PollUntilContextTimeout(ctx, tick, patience, true, func(ctx context.Context) (bool, error) {
		if broken = c.agent.Err(); broken == nil {
			broken = c.audit.check()
		}
		if broken != nil {
			return false, broken
		}
		state, done, err := ask(ctx)
		if state != "" {
			last = state
			if trouble := c.agent.Trouble(); trouble != nil {
				last += "; " + trouble.Error()
			}
		}
		if done || err != nil || c.mistake == "" {
			return done, err
		}
		if !strings.Contains(last+strings.Join(complaints(c.agent.Logs()), "\n"), c.mistake) {
			return false, nil
		}
		if named.IsZero() {
			named = time.Now()
		}
		if time.Since(named) > brief {
			return false, context.DeadlineExceeded
		}
		return false, nil
	})
	switch {
	case broken != nil:
		return broken
	case wait.Interrupted(err):
		return fmt.Errorf("%s, after %s; the log says %q", last, time.Since(start).Round(time.Second),
			complaints(c.agent.Logs()))
	}
	return err
}

// complaints are the errors in the programs' logs, which are lines of JSON, each once.
func complaints(logs string) []string {
	var list []string
	for line := range strings.Lines(logs) {
		var l struct{ Level, Error string }
		if json.Unmarshal([]byte(line), &l) == nil && l.Level == "error" && !slices.Contains(list, l.Error) {
			list = append(list, l.Error)
		}
	}
	return list
}

const (
	tick = 50 * time.Millisecond
	// patience is how long something may take that must happen and usually takes a second, or a
	// minute where a pod compiles. A machine may be slow and busy: whoever waits in vain learns it
	// later, nothing else.
	patience = 20 * time.Minute
	// brief is how long something that must not happen is given to happen.
	brief = 5 * time.Second
)
