package kpack

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"knative.dev/pkg/logging"
	"knative.dev/pkg/metrics"
	"knative.dev/pkg/system"

	"github.com/pivotal/kpack/pkg/config"
)

// source returns the directory of kpack's source in the module cache.
func source(t *testing.T) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f",
		"{{.Dir}}", "github.com/pivotal/kpack").CombinedOutput()
	dir := strings.TrimSpace(string(out))
	if err != nil || dir == "" {
		t.Fatalf("go list found no source of kpack: %v: %s", err, dir)
	}
	return dir
}

// literals returns the first string argument of every call in a Go file whose function is one of
// names, or with no names every string in it.
func literals(t *testing.T, file string, names ...string) []string {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	take := func(e ast.Node) {
		if lit, ok := e.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			if s, err := strconv.Unquote(lit.Value); err == nil {
				list = append(list, s)
			}
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		if len(names) == 0 {
			take(n)
		}
		if call, ok := n.(*ast.CallExpr); ok && len(call.Args) > 0 {
			if fun, ok := call.Fun.(*ast.SelectorExpr); ok && slices.Contains(names, fun.Sel.Name) {
				take(call.Args[0])
			}
		}
		return true
	})
	if len(list) == 0 {
		t.Fatalf("%s: no strings found", file)
	}
	return list
}

// deployed returns the only container of a Deployment and its resolved variables.
func deployed(t *testing.T, objects []runtime.Object, name string) (corev1.Container, map[string]string) {
	t.Helper()
	d := find[*appsv1.Deployment](t, objects, name)
	if n := len(d.Spec.Template.Spec.Containers); n != 1 {
		t.Fatalf("%s has %d containers", name, n)
	}
	c := d.Spec.Template.Spec.Containers[0]
	return c, environment(t, objects, c, d.Namespace)
}

// TestController: the controller's Deployment sets every variable that its code reads, its images
// are those of the lock, and the variables of the Windows RFC are set besides kpack's names.
func TestController(t *testing.T) {
	r := open(t)
	objects := r.objects(t)
	container, env := deployed(t, objects, "kpack-controller")
	for _, name := range literals(t, filepath.Join(source(t), "cmd", "controller", "main.go"), "Getenv",
		"GetEnvBool", "GetEnvInt") {
		// which kpack leaves to the operator
		if env[name] == "" && name != "MAXIMUM_PLATFORM_API_VERSION" {
			t.Errorf("the controller reads %s, which is not set", name)
		}
	}
	images := map[string]string{
		"BUILD_INIT_IMAGE": "build-init", "BUILD_INIT_WINDOWS_IMAGE": "build-init",
		"WINDOWS_BUILD_INIT_IMAGE": "build-init",
		"COMPLETION_IMAGE":         "completion", "COMPLETION_WINDOWS_IMAGE": "completion",
		"WINDOWS_COMPLETION_IMAGE": "completion",
		"BUILD_WAITER_IMAGE":       "build-waiter", "REBASE_IMAGE": "rebase", "WINDOWS_LIFECYCLE_IMAGE": "lifecycle",
	}
	for name, value := range env {
		if strings.HasSuffix(name, "_IMAGE") && images[name] == "" {
			t.Errorf("%s=%s is set, which this test does not know", name, value)
		}
	}
	for name, image := range images {
		if want := r.lock.image(t, image).reference(); env[name] != want {
			t.Errorf("%s is %q, want %s", name, env[name], want)
		}
	}
	if want := r.lock.image(t, "controller").reference(); container.Image != want {
		t.Errorf("the controller runs %s, want %s", container.Image, want)
	}
	lifecycle := find[*corev1.ConfigMap](t, objects, config.LifecycleConfigName)
	if want := r.lock.image(t, "lifecycle").reference(); lifecycle.Data[config.LifecycleConfigKey] != want {
		t.Errorf("ConfigMap %s has %v, want %s", lifecycle.Name, lifecycle.Data, want)
	}
}

// TestSettings reads what controller and webhook read through their libraries.
func TestSettings(t *testing.T) {
	objects := open(t).objects(t)
	for _, name := range []string{"kpack-controller", "kpack-webhook"} {
		_, env := deployed(t, objects, name)
		for k, v := range env {
			t.Setenv(k, v)
		}
		if ns := system.Namespace(); ns != "kpack" { // it panics where its variable is missing
			t.Errorf("%s: the system namespace is %s", name, ns)
		}
		if d := metrics.Domain(); d == "" {
			t.Errorf("%s: the metrics domain is empty", name)
		}
		if _, err := logging.NewConfigFromConfigMap(find[*corev1.ConfigMap](t,
			objects, logging.ConfigMapName())); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestWebhook: what the webhook's code names, it finds: its configurations, its Service and
// Secret, and the definitions it converts.
func TestWebhook(t *testing.T) {
	objects := open(t).objects(t)
	names := literals(t, filepath.Join(source(t), "cmd", "webhook", "main.go"))
	has := func(name string) {
		t.Helper()
		if !slices.Contains(names, name) {
			t.Errorf("the webhook's code does not name %s (any more)", name)
		}
	}
	find[*admissionregistrationv1.MutatingWebhookConfiguration](t, objects, "defaults.webhook.kpack.io")
	has("defaults.webhook.kpack.io")
	find[*admissionregistrationv1.ValidatingWebhookConfiguration](t, objects, "validation.webhook.kpack.io")
	has("validation.webhook.kpack.io")
	find[*corev1.Secret](t, objects, "webhook-certs")
	has("webhook-certs")
	has("kpack-webhook")
	service := find[*corev1.Service](t, objects, "kpack-webhook")
	pod := find[*appsv1.Deployment](t, objects, "kpack-webhook").Spec.Template
	for k, v := range service.Spec.Selector {
		if pod.Labels[k] != v {
			t.Errorf("the Service selects %s=%s, the webhook's pod has %q", k, v, pod.Labels[k])
		}
	}
	for _, n := range names {
		if !strings.HasSuffix(n, "s.kpack.io") {
			continue
		}
		crd := find[*apiextensionsv1.CustomResourceDefinition](t, objects, n)
		if c := crd.Spec.Conversion; c == nil ||
			c.Webhook == nil || c.Webhook.ClientConfig.Service.Name != service.Name {
			t.Errorf("%s is not converted by the webhook", n)
		}
	}
}
