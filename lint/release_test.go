package lint_test

import (
	"encoding/base64"
	"strings"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/lint"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/product"
)

// small returns a lock with the images app (Linux), tools (Linux and Windows) and lifecycle (one
// manifest with the files of both), and images of third parties.
func small() *lock.Lock {
	hash := func(n int) v1.Hash {
		return v1.Hash{Algorithm: "sha256", Hex: strings.TrimPrefix(digest(n), "sha256:")}
	}
	image := func(n int, name string, platforms ...platform.Platform) lock.Image {
		i := lock.Image{Name: name, Repository: "slipway.local/kpack/" + name, Tags: []string{"1.2.3"}, Digest: hash(n)}
		for _, p := range platforms {
			i.Children = append(i.Children, lock.Child{Platform: p, Digest: hash(100 + n)})
		}
		return i
	}
	linux := platform.Platform{OS: "linux", Architecture: "amd64"}
	windows := platform.Platform{OS: "windows", Architecture: "amd64", OSVersion: "10.0.20348.1"}
	tools := image(2, "tools", linux, windows)
	tools.PlatformTags = []lock.PlatformTag{{
		Tag: "1.2.3-linux-amd64", Platforms: []platform.Platform{linux},
		Digest: hash(50),
	}}
	lifecycle := image(3, "lifecycle", linux)
	lifecycle.Children[0].ExtraOS = []string{"linux", "windows"}
	return &lock.Lock{
		Images: []lock.Image{image(1, "app", linux), tools, lifecycle},
		ThirdParty: []lock.ThirdParty{
			{Reference: "registry.k8s.io/pause:3.10", Digest: hash(9), Platforms: []platform.Platform{linux, windows}},
			{Reference: "busybox:1.36", Digest: hash(10), Platforms: []platform.Platform{linux}},
			{Reference: "quay.io/offline/tool:1", Omitted: "no registry was named"},
		},
	}
}

// references by what they are called in the tests.
var references = strings.NewReplacer(
	"$APP", "slipway.local/kpack/app@"+digest(1), "$TOOLS", "slipway.local/kpack/tools@"+digest(2),
	"$LIFECYCLE", "slipway.local/kpack/lifecycle@"+digest(3),
	"$PAUSE", "registry.k8s.io/pause@"+digest(9), "$BUSYBOX", "docker.io/library/busybox@"+digest(10),
	"$OFFLINE", "quay.io/offline/tool@"+digest(11),
	"$CHILD", "slipway.local/kpack/app@"+digest(101), "$OTHER", digest(99),
	"$PLATFORM", "slipway.local/kpack/tools@"+digest(50),
)

// deployment returns a Deployment demo/app on Linux whose container main has the fields given.
func deployment(container string) string {
	return references.Replace(`apiVersion: apps/v1
kind: Deployment
metadata: {name: app, namespace: demo}
spec:
  selector: {matchLabels: {app: a}}
  template:
    metadata: {labels: {app: a}}
    spec:
      nodeSelector: {kubernetes.io/os: linux}
      containers:
      - name: main
        ` + strings.ReplaceAll(container, "\n", "\n        ") + "\n")
}

// configMap returns a ConfigMap demo/NAME with one key.
func configMap(name, key, value string) string {
	return references.Replace("---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: " + name +
		", namespace: demo}\ndata:\n  " + key + ": " + value + "\n")
}

// object returns any object with the lines of its spec.
func object(apiVersion, kind, spec string) string {
	return references.Replace("apiVersion: " + apiVersion + "\nkind: " +
		kind + "\nmetadata: {name: o, namespace: demo}\nspec:\n  " + strings.ReplaceAll(spec, "\n", "\n  ") + "\n")
}

const onePod = "containers:\n- {name: main, image: $APP}\n"

// releaseCase is a manifest of a release, and what the errors about it have in them.
type releaseCase struct {
	name     string
	manifest string
	want     []string // nothing is found if it is empty
}

// checkReleases checks manifests of a release with the lock of small.
func checkReleases(t *testing.T, cases []releaseCase) {
	for _, tt := range cases {
		t.Run(tt.name, func(t *testing.T) {
			r, err := lint.Check(t.Context(), []lint.File{{Name: "m.yaml", Text: []byte(tt.manifest)}},
				lint.Options{Lock: small(), Product: &product.Product{}})
			if err != nil {
				t.Fatal(err)
			}
			var errs []string
			for _, f := range r.Findings {
				if f.Severity == lint.Error {
					errs = append(errs, f.String())
				}
			}
			got := strings.Join(errs, "\n")
			if len(tt.want) == 0 && got != "" {
				t.Errorf("found\n%s", got)
			}
			for _, w := range tt.want {
				if !strings.Contains(got, references.Replace(w)) {
					t.Errorf("found\n%s\nwithout %s", got, references.Replace(w))
				}
			}
		})
	}
}

// TestReleaseReferences checks that references are pinned and in the lock.
func TestReleaseReferences(t *testing.T) {
	checkReleases(t, []releaseCase{
		{name: "ours", manifest: deployment("image: $APP")},
		{name: "third-party", manifest: deployment("image: $PAUSE")},
		{
			name: "names of ko",
			manifest: deployment("image: ko://example.com/cmd/app\nargs: "+
				"[-entrypoint-image, ko://example.com/cmd/tools, --a=ko://example.com/cmd/b]\nenv: "+
				"[{name: A_IMAGE, value: ko://example.com/cmd/c}]") + configMap("a",
				"note", "the name ko://example.com/cmd/d is of a Go package"),
			want: []string{
				"m.yaml:12:", "Deployment demo/app: spec.template.spec.containers[0].image: " +
					"only ko resolves ko://example.com/cmd/app, no runtime does: write $APP",
				"m.yaml:13:", "Deployment demo/app: spec.template.spec.containers[0].args[1]: " +
					"only ko resolves ko://example.com/cmd/tools, no runtime does: write $TOOLS",
				"m.yaml:13:", "Deployment demo/app: spec.template.spec.containers[0].args[2]: only ko resolves " +
					"ko://example.com/cmd/b, no runtime does: write the reference of the image that has the program",
				"m.yaml:14:", "Deployment demo/app: spec.template.spec.containers[0].env[0].value: " +
					"only ko resolves ko://example.com/cmd/c, ",
				"m.yaml:20:", "ConfigMap demo/a: data.note: only ko resolves ko://example.com/cmd/d, ",
			},
		},
		{name: "third-party by its short name", manifest: deployment("image: $BUSYBOX")},
		{name: "third-party that a snapshot left out", manifest: deployment("image: $OFFLINE")},
		{
			name: "by tag", manifest: deployment("image: slipway.local/kpack/app:1.2.3"),
			want: []string{"m.yaml:12:", "Deployment demo/app: spec.template.spec.containers[0].image: " +
				"slipway.local/kpack/app:1.2.3 is not pinned by digest: write $APP"},
		},
		{
			name: "without tag", manifest: deployment("image: nginx"),
			want: []string{"nginx is not pinned by digest: write repository@sha256:…"},
		},
		{
			name: "third-party by tag", manifest: deployment("image: registry.k8s.io/pause:3.10"),
			want: []string{"write $PAUSE"},
		},
		{
			name: "tag and digest", manifest: deployment("image: slipway.local/kpack/app:1.2.3@" + digest(1)),
			want: []string{"has a tag and a digest: write $APP"},
		},
		{
			name: "wrong digest", manifest: deployment("image: slipway.local/kpack/app@$OTHER"),
			want: []string{"another digest than the lock: write $APP"},
		},
		{
			name: "third-party with a wrong digest", manifest: deployment("image: registry.k8s.io/pause@$OTHER"),
			want: []string{"another digest than the lock: write $PAUSE"},
		},
		{
			name: "unknown", manifest: deployment("image: nginx@$OTHER"),
			want: []string{"neither the product nor images.txt has the image"},
		},
		{
			name: "no reference", manifest: deployment("image: UPPER/Case"),
			want: []string{`"UPPER/Case" is not an image reference`},
		},
		{name: "empty", manifest: deployment(`image: ""`), want: []string{"containers[0].image: the image is empty"}},

		{
			name: "a Secret",
			manifest: references.Replace("apiVersion: v1\nkind: Secret\nmetadata: " +
				"{name: s, namespace: demo}\ndata: {config: " +
				base64.StdEncoding.EncodeToString([]byte("helper: slipway.local/kpack/tools:1.2.3")) + "}\n"),
			want: []string{
				"m.yaml:4:",
				"Secret demo/s: data.config: slipway.local/kpack/tools:1.2.3 is not pinned by digest: write $TOOLS",
			},
		},
	})
}

// TestReleaseVariables checks references in variables and arguments.
func TestReleaseVariables(t *testing.T) {
	checkReleases(t, []releaseCase{
		{name: "variable", manifest: deployment("image: $APP\nenv: [{name: INIT_IMAGE, value: $TOOLS}]")},
		{
			name:     "variable by tag",
			manifest: deployment("image: $APP\nenv: [{name: INIT_IMAGE, value: 'busybox:1.36'}]"),
			want:     []string{"containers[0].env[0].value: busybox:1.36 is not pinned"},
		},
		{
			name: "empty variable", manifest: deployment("image: $APP\nenv: [{name: INIT_IMAGE, value: ''}]"),
			want: []string{"env[0].value: the image is empty"},
		},
		{
			name: "variable without value", manifest: deployment("image: $APP\nenv: [{name: INIT_IMAGE}]"),
			want: []string{"env[0].value: the image is empty"},
		},
		{
			name:     "variable that is no image",
			manifest: deployment("image: $APP\nenv: [{name: IMAGE_PULL_POLICY, value: Always}, {name: EMPTY}]"),
		},
		{
			name:     "variable that names a repository",
			manifest: deployment("image: $APP\nenv: [{name: HELPER, value: 'slipway.local/kpack/tools'}]"),
			want:     []string{"env[0].value: slipway.local/kpack/tools is not pinned by digest: write $TOOLS"},
		},
		{
			name: "flag that names a repository",
			manifest: deployment("image: $APP\nargs: ['--helper=slipway.local/kpack/tools:1.2.3', " +
				"'--also=slipway.local/kpack/tools-more:1', '--ok=$TOOLS']"),
			want: []string{"containers[0].args[0]: slipway.local/kpack/tools:1.2.3 is not pinned"},
		},

		{
			name: "flags that name other repositories",
			manifest: deployment("image: $APP\nargs: ['--helper=slipway.local/kpack/tools-more:1', " +
				"'mirror/slipway.local/kpack/tools:1']"),
		},
	})
}

// TestReleaseConfigMaps checks references in ConfigMaps, and that ConfigMaps are there.
func TestReleaseConfigMaps(t *testing.T) {
	fromMap := "image: $APP\nenv:\n- name: INIT_IMAGE\n  valueFrom: {configMapKeyRef: {name: init-image, key: image}}"
	checkReleases(t, []releaseCase{
		{name: "ConfigMap", manifest: deployment(fromMap) + configMap("init-image", "image", "$APP")},
		{
			name: "ConfigMap by tag", manifest: configMap("init-image", "image", "busybox:1.36"),
			want: []string{"m.yaml:6:", "ConfigMap demo/init-image: data.image: busybox:1.36 is not pinned"},
		},
		{
			name:     "ConfigMap with a file",
			manifest: configMap("config", "config.json", `'{"helper": "slipway.local/kpack/tools:1.2.3"}'`),
			want:     []string{`data["config.json"]: slipway.local/kpack/tools:1.2.3 is not pinned`},
		},
		{
			name: "missing ConfigMap", manifest: deployment(fromMap),
			want: []string{"ConfigMap init-image is not in the release: INIT_IMAGE would be empty"},
		},
		{
			name: "ConfigMap of another namespace", manifest: deployment(fromMap) +
				strings.ReplaceAll(configMap("init-image", "image", "$APP"), "namespace: demo", "namespace: other"),
			want: []string{"ConfigMap init-image is not in the release in this namespace, but in other: " +
				"INIT_IMAGE would be empty"},
		},
		{
			name: "missing key", manifest: deployment(fromMap) + configMap("init-image", "imgae", "$APP"),
			want: []string{"valueFrom.configMapKeyRef.name: ConfigMap init-image has no key image: " +
				"INIT_IMAGE would be empty"},
		},
		{
			name: "empty key", manifest: deployment(fromMap) + configMap("init-image", "image", `""`),
			want: []string{"data.image: the image is empty"},
		},
		{
			name:     "optional ConfigMap of an image",
			manifest: deployment(strings.Replace(fromMap, "key: image", "key: image, optional: true", 1)),
			want:     []string{"INIT_IMAGE would be empty"},
		},
		{
			name: "optional ConfigMap",
			manifest: deployment("image: $APP\nenv: [{name: LEVEL, valueFrom: {configMapKeyRef: " +
				"{name: log, key: level, optional: true}}}]"),
		},
		{
			name: "key that the variable makes an image",
			manifest: deployment("image: $APP\nenv: [{name: INIT_IMAGE, valueFrom: {configMapKeyRef: "+
				"{name: init, key: ref}}}]") + configMap("init", "ref", "busybox"),
			want: []string{"ConfigMap demo/init: data.ref: busybox is not pinned"},
		},
		{
			name: "envFrom",
			manifest: deployment("image: $APP\nenvFrom: [{prefix: WINDOWS_, configMapRef: {name: init}}]") +
				configMap("init", "APP_IMAGE", "$APP"),
			want: []string{"ConfigMap demo/init: data.APP_IMAGE", "image app has no files for windows"},
		},
		{
			name: "envFrom a ConfigMap of another namespace",
			manifest: deployment("image: $APP\nenvFrom: [{configMapRef: {name: init}}, {secretRef: {name: s}}]") +
				strings.ReplaceAll(configMap("init", "a", "b"), "namespace: demo", "namespace: other"),
			want: []string{"envFrom[0]: ConfigMap init is not in the release in this namespace, but in other: " +
				"the container would not start"},
		},
		{
			name: "ConfigMaps that others may make",
			manifest: deployment("image: $APP\nenvFrom: [{configMapRef: {name: init}}]\nenv: [{name: " +
				"LEVEL, valueFrom: {configMapKeyRef: {name: log, key: level}}}]"),
		},
		{
			name:     "envFrom an optional ConfigMap",
			manifest: deployment("image: $APP\nenvFrom: [{configMapRef: {name: maybe, optional: true}}]"),
		},
	})
}

// TestReleasePlatforms checks that what is named for Windows, or runs there, has files for it.
func TestReleasePlatforms(t *testing.T) {
	linux := "nodeSelector: {kubernetes.io/os: linux}\n"
	checkReleases(t, []releaseCase{
		{
			name:     "Windows by its child",
			manifest: deployment("image: $APP\nenv: [{name: BUILD_INIT_WINDOWS_IMAGE, value: $TOOLS}]"),
		},
		{
			name:     "Windows by the lifecycle's layer",
			manifest: deployment("image: $APP\nenv: [{name: WINDOWS_LIFECYCLE_IMAGE, value: $LIFECYCLE}]"),
		},
		{
			name:     "Windows of a third party",
			manifest: deployment("image: $APP\nenv: [{name: WINDOWS_PAUSE, value: $PAUSE}]"),
		},
		{
			name:     "Windows without a child",
			manifest: deployment("image: $APP\nenv: [{name: BUILD_INIT_WINDOWS_IMAGE, value: $APP}]"),
			want:     []string{"env[0].value: it is named for Windows, but image app has no files for windows"},
		},
		{
			name:     "Windows without a child of a third party",
			manifest: deployment("image: $APP\nenv: [{name: windowsInit, value: $BUSYBOX}]"),
			want:     []string{"env[0].value", "image busybox:1.36 has no files for windows"},
		},
		{
			name: "Windows ConfigMap", manifest: configMap("build-init-windows-image", "image", "$APP"),
			want: []string{"ConfigMap demo/build-init-windows-image: data.image: it is named for Windows"},
		},
		{
			name:     "Windows container",
			manifest: object("v1", "Pod", linux+"containers:\n- {name: for-windows, image: $APP}"),
			want:     []string{"spec.containers[0].image: it is named for Windows"},
		},
		{
			name:     "a variable for Windows that is not an image",
			manifest: deployment("image: $APP\nenv: [{name: WINDOWS_LEVEL, value: high}]"),
		},
		{
			name: "one platform's manifest", manifest: deployment("image: $CHILD"),
			want: []string{"is one platform's manifest of app: write $APP"},
		},
		{name: "a platform tag's manifest", manifest: deployment("image: $PLATFORM")},
		{
			name: "a platform tag's manifest on another system", manifest: object("v1",
				"Pod", "nodeSelector: {kubernetes.io/os: windows}\ncontainers:\n- {name: c, image: $PLATFORM}"),
			want: []string{"the pod runs on windows, and the image is made for linux/amd64"},
		},
		{
			name: "a platform tag", manifest: deployment("image: slipway.local/kpack/tools:1.2.3-linux-amd64"),
			want: []string{"is not pinned by digest: write $PLATFORM"},
		},
	})
}
