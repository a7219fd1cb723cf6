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
	tools.PlatformTags = []lock.PlatformTag{{Tag: "1.2.3-linux-amd64", Platforms: []platform.Platform{linux}, Digest: hash(50)}}
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
	"$APP", "slipway.local/kpack/app@"+digest(1), "$TOOLS", "slipway.local/kpack/tools@"+digest(2), "$LIFECYCLE", "slipway.local/kpack/lifecycle@"+digest(3),
	"$PAUSE", "registry.k8s.io/pause@"+digest(9), "$BUSYBOX", "docker.io/library/busybox@"+digest(10), "$OFFLINE", "quay.io/offline/tool@"+digest(11),
	"$CHILD", "slipway.local/kpack/app@"+digest(101), "$OTHER", digest(99), "$PLATFORM", "slipway.local/kpack/tools@"+digest(50),
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
	return references.Replace("---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: " + name + ", namespace: demo}\ndata:\n  " + key + ": " + value + "\n")
}

// object returns any object with the lines of its spec.
func object(apiVersion, kind, spec string) string {
	return references.Replace("apiVersion: " + apiVersion + "\nkind: " + kind + "\nmetadata: {name: o, namespace: demo}\nspec:\n  " + strings.ReplaceAll(spec, "\n", "\n  ") + "\n")
}

const onePod = "containers:\n- {name: main, image: $APP}\n"

// TestRelease checks manifests of a release: references must be pinned and in the lock, ConfigMaps
// must exist. What passes has no want.
func TestRelease(t *testing.T) {
	linux := "nodeSelector: {kubernetes.io/os: linux}\n"
	fromMap := "image: $APP\nenv:\n- name: INIT_IMAGE\n  valueFrom: {configMapKeyRef: {name: init-image, key: image}}"
	for _, tt := range []struct {
		name     string
		manifest string
		want     []string
	}{
		{name: "ours", manifest: deployment("image: $APP")},
		{name: "third-party", manifest: deployment("image: $PAUSE")},
		{
			name: "names of ko", manifest: deployment("image: ko://example.com/cmd/app\nargs: [-entrypoint-image, ko://example.com/cmd/tools, --a=ko://example.com/cmd/b]\nenv: [{name: A_IMAGE, value: ko://example.com/cmd/c}]") + configMap("a", "note", "the name ko://example.com/cmd/d is of a Go package"),
			want: []string{
				"m.yaml:12:", "Deployment demo/app: spec.template.spec.containers[0].image: only ko resolves ko://example.com/cmd/app, no runtime does: write $APP",
				"m.yaml:13:", "Deployment demo/app: spec.template.spec.containers[0].args[1]: only ko resolves ko://example.com/cmd/tools, no runtime does: write $TOOLS",
				"m.yaml:13:", "Deployment demo/app: spec.template.spec.containers[0].args[2]: only ko resolves ko://example.com/cmd/b, no runtime does: write the reference of the image that has the program",
				"m.yaml:14:", "Deployment demo/app: spec.template.spec.containers[0].env[0].value: only ko resolves ko://example.com/cmd/c, ",
				"m.yaml:20:", "ConfigMap demo/a: data.note: only ko resolves ko://example.com/cmd/d, ",
			},
		},
		{name: "third-party by its short name", manifest: deployment("image: $BUSYBOX")},
		{name: "third-party that a snapshot left out", manifest: deployment("image: $OFFLINE")},
		{
			name: "by tag", manifest: deployment("image: slipway.local/kpack/app:1.2.3"),
			want: []string{"m.yaml:12:", "Deployment demo/app: spec.template.spec.containers[0].image: slipway.local/kpack/app:1.2.3 is not pinned by digest: write $APP"},
		},
		{name: "without tag", manifest: deployment("image: nginx"), want: []string{"nginx is not pinned by digest: write repository@sha256:…"}},
		{name: "third-party by tag", manifest: deployment("image: registry.k8s.io/pause:3.10"), want: []string{"write $PAUSE"}},
		{
			name: "tag and digest", manifest: deployment("image: slipway.local/kpack/app:1.2.3@" + digest(1)),
			want: []string{"has a tag and a digest: write $APP"},
		},
		{name: "wrong digest", manifest: deployment("image: slipway.local/kpack/app@$OTHER"), want: []string{"another digest than the lock: write $APP"}},
		{
			name: "third-party with a wrong digest", manifest: deployment("image: registry.k8s.io/pause@$OTHER"),
			want: []string{"another digest than the lock: write $PAUSE"},
		},
		{name: "unknown", manifest: deployment("image: nginx@$OTHER"), want: []string{"neither the product nor images.txt has the image"}},
		{name: "no reference", manifest: deployment("image: UPPER/Case"), want: []string{`"UPPER/Case" is not an image reference`}},
		{name: "empty", manifest: deployment(`image: ""`), want: []string{"containers[0].image: the image is empty"}},

		{name: "variable", manifest: deployment("image: $APP\nenv: [{name: INIT_IMAGE, value: $TOOLS}]")},
		{
			name: "variable by tag", manifest: deployment("image: $APP\nenv: [{name: INIT_IMAGE, value: 'busybox:1.36'}]"),
			want: []string{"containers[0].env[0].value: busybox:1.36 is not pinned"},
		},
		{name: "empty variable", manifest: deployment("image: $APP\nenv: [{name: INIT_IMAGE, value: ''}]"), want: []string{"env[0].value: the image is empty"}},
		{name: "variable without value", manifest: deployment("image: $APP\nenv: [{name: INIT_IMAGE}]"), want: []string{"env[0].value: the image is empty"}},
		{name: "variable that is no image", manifest: deployment("image: $APP\nenv: [{name: IMAGE_PULL_POLICY, value: Always}, {name: EMPTY}]")},
		{
			name: "variable that names a repository", manifest: deployment("image: $APP\nenv: [{name: HELPER, value: 'slipway.local/kpack/tools'}]"),
			want: []string{"env[0].value: slipway.local/kpack/tools is not pinned by digest: write $TOOLS"},
		},
		{
			name: "flag that names a repository", manifest: deployment("image: $APP\nargs: ['--helper=slipway.local/kpack/tools:1.2.3', '--also=slipway.local/kpack/tools-more:1', '--ok=$TOOLS']"),
			want: []string{"containers[0].args[0]: slipway.local/kpack/tools:1.2.3 is not pinned"},
		},

		{name: "flags that name other repositories", manifest: deployment("image: $APP\nargs: ['--helper=slipway.local/kpack/tools-more:1', 'mirror/slipway.local/kpack/tools:1']")},

		{name: "ConfigMap", manifest: deployment(fromMap) + configMap("init-image", "image", "$APP")},
		{
			name: "ConfigMap by tag", manifest: configMap("init-image", "image", "busybox:1.36"),
			want: []string{"m.yaml:6:", "ConfigMap demo/init-image: data.image: busybox:1.36 is not pinned"},
		},
		{
			name: "ConfigMap with a file", manifest: configMap("config", "config.json", `'{"helper": "slipway.local/kpack/tools:1.2.3"}'`),
			want: []string{`data["config.json"]: slipway.local/kpack/tools:1.2.3 is not pinned`},
		},
		{name: "missing ConfigMap", manifest: deployment(fromMap), want: []string{"ConfigMap init-image is not in the release: INIT_IMAGE would be empty"}},
		{
			name: "ConfigMap of another namespace", manifest: deployment(fromMap) + strings.ReplaceAll(configMap("init-image", "image", "$APP"), "namespace: demo", "namespace: other"),
			want: []string{"ConfigMap init-image is not in the release in this namespace, but in other: INIT_IMAGE would be empty"},
		},
		{
			name: "missing key", manifest: deployment(fromMap) + configMap("init-image", "imgae", "$APP"),
			want: []string{"valueFrom.configMapKeyRef.name: ConfigMap init-image has no key image: INIT_IMAGE would be empty"},
		},
		{name: "empty key", manifest: deployment(fromMap) + configMap("init-image", "image", `""`), want: []string{"data.image: the image is empty"}},
		{
			name: "optional ConfigMap of an image", manifest: deployment(strings.Replace(fromMap, "key: image", "key: image, optional: true", 1)),
			want: []string{"INIT_IMAGE would be empty"},
		},
		{name: "optional ConfigMap", manifest: deployment("image: $APP\nenv: [{name: LEVEL, valueFrom: {configMapKeyRef: {name: log, key: level, optional: true}}}]")},
		{
			name: "key that the variable makes an image", manifest: deployment("image: $APP\nenv: [{name: INIT_IMAGE, valueFrom: {configMapKeyRef: {name: init, key: ref}}}]") + configMap("init", "ref", "busybox"),
			want: []string{"ConfigMap demo/init: data.ref: busybox is not pinned"},
		},
		{
			name: "envFrom", manifest: deployment("image: $APP\nenvFrom: [{prefix: WINDOWS_, configMapRef: {name: init}}]") + configMap("init", "APP_IMAGE", "$APP"),
			want: []string{"ConfigMap demo/init: data.APP_IMAGE", "image app has no files for windows"},
		},
		{
			name: "envFrom a ConfigMap of another namespace", manifest: deployment("image: $APP\nenvFrom: [{configMapRef: {name: init}}, {secretRef: {name: s}}]") + strings.ReplaceAll(configMap("init", "a", "b"), "namespace: demo", "namespace: other"),
			want: []string{"envFrom[0]: ConfigMap init is not in the release in this namespace, but in other: the container would not start"},
		},
		{
			name: "ConfigMaps that others may make", manifest: deployment("image: $APP\nenvFrom: [{configMapRef: {name: init}}]\nenv: [{name: LEVEL, valueFrom: {configMapKeyRef: {name: log, key: level}}}]"),
		},
		{name: "envFrom an optional ConfigMap", manifest: deployment("image: $APP\nenvFrom: [{configMapRef: {name: maybe, optional: true}}]")},

		{name: "Windows by its child", manifest: deployment("image: $APP\nenv: [{name: BUILD_INIT_WINDOWS_IMAGE, value: $TOOLS}]")},
		{name: "Windows by the lifecycle's layer", manifest: deployment("image: $APP\nenv: [{name: WINDOWS_LIFECYCLE_IMAGE, value: $LIFECYCLE}]")},
		{name: "Windows of a third party", manifest: deployment("image: $APP\nenv: [{name: WINDOWS_PAUSE, value: $PAUSE}]")},
		{
			name: "Windows without a child", manifest: deployment("image: $APP\nenv: [{name: BUILD_INIT_WINDOWS_IMAGE, value: $APP}]"),
			want: []string{"env[0].value: it is named for Windows, but image app has no files for windows"},
		},
		{
			name: "Windows without a child of a third party", manifest: deployment("image: $APP\nenv: [{name: windowsInit, value: $BUSYBOX}]"),
			want: []string{"env[0].value", "image busybox:1.36 has no files for windows"},
		},
		{
			name: "Windows ConfigMap", manifest: configMap("build-init-windows-image", "image", "$APP"),
			want: []string{"ConfigMap demo/build-init-windows-image: data.image: it is named for Windows"},
		},
		{
			name: "Windows container", manifest: object("v1", "Pod", linux+"containers:\n- {name: for-windows, image: $APP}"),
			want: []string{"spec.containers[0].image: it is named for Windows"},
		},
		{name: "a variable for Windows that is not an image", manifest: deployment("image: $APP\nenv: [{name: WINDOWS_LEVEL, value: high}]")},
		{name: "one platform's manifest", manifest: deployment("image: $CHILD"), want: []string{"is one platform's manifest of app: write $APP"}},
		{name: "a platform tag's manifest", manifest: deployment("image: $PLATFORM")},
		{
			name: "a platform tag's manifest on another system", manifest: object("v1", "Pod", "nodeSelector: {kubernetes.io/os: windows}\ncontainers:\n- {name: c, image: $PLATFORM}"),
			want: []string{"the pod runs on windows, and the image is made for linux/amd64"},
		},
		{name: "a platform tag", manifest: deployment("image: slipway.local/kpack/tools:1.2.3-linux-amd64"), want: []string{"is not pinned by digest: write $PLATFORM"}},
		{
			name: "a Secret", manifest: references.Replace("apiVersion: v1\nkind: Secret\nmetadata: {name: s, namespace: demo}\ndata: {config: " + base64.StdEncoding.EncodeToString([]byte("helper: slipway.local/kpack/tools:1.2.3")) + "}\n"),
			want: []string{"m.yaml:4:", "Secret demo/s: data.config: slipway.local/kpack/tools:1.2.3 is not pinned by digest: write $TOOLS"},
		},

		{
			name: "no system", manifest: object("v1", "Pod", onePod),
			want: []string{"m.yaml:5:", "Pod demo/o: spec: the pod may run on a node of any operating system"},
		},
		{name: "spec.os alone", manifest: object("v1", "Pod", "os: {name: linux}\n"+onePod), want: []string{"the scheduler ignores os.name"}},
		{name: "spec.os of another system", manifest: object("v1", "Pod", "os: {name: windows}\n"+linux+onePod), want: []string{"os.name is windows, but the pod selects nodes with linux"}},
		{
			name: "affinity", manifest: object("v1", "Pod", "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: kubernetes.io/os, operator: In, values: [linux]}]}]}}}\n"+onePod),
		},
		{
			name: "affinity with a way out", manifest: object("v1", "Pod", "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: kubernetes.io/os, operator: In, values: [linux]}]}, {matchExpressions: [{key: a, operator: Exists}]}]}}}\n"+onePod),
			want: []string{"any operating system"},
		},
		{
			name: "preferred affinity", manifest: object("v1", "Pod", "affinity: {nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 1, preference: {matchExpressions: [{key: kubernetes.io/os, operator: In, values: [linux]}]}}]}}\n"+onePod),
			want: []string{"any operating system"},
		},
		{
			name: "image without the pod's system", manifest: object("v1", "Pod", "nodeSelector: {kubernetes.io/os: windows}\ninitContainers:\n- {name: i, image: $TOOLS}\n"+onePod),
			want: []string{"spec.containers[0].image: the pod runs on windows, and the image is made for linux/amd64"},
		},

		{
			name: "affinity by exclusion", manifest: object("v1", "Pod", "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: kubernetes.io/os, operator: NotIn, values: [windows]}]}]}}}\n"+onePod),
		},
		{
			name: "affinity that is none", manifest: object("v1", "Pod", "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: kubernetes.io/os, operator: Exists}]}]}}}\n"+onePod),
			want: []string{"any operating system"},
		},
		{
			name: "affinity against the node selector", manifest: object("v1", "Pod", linux+"affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: kubernetes.io/os, operator: In, values: [windows]}]}]}}}\n"+onePod),
			want: []string{"no node can have what the node selector and the node affinity ask for together"},
		},
		{
			name: "images of other containers", manifest: object("v1", "Pod", "nodeSelector: {kubernetes.io/os: windows}\ncontainers:\n- {name: c, image: $TOOLS}\n"+
				"initContainers:\n- {name: i, image: $APP, env: [{name: A_IMAGE, valueFrom: {configMapKeyRef: {name: a, key: b}}}]}\nephemeralContainers:\n- {name: e, image: $APP}"),
			want: []string{
				"spec.initContainers[0].image: the pod runs on windows, and the image is made for linux/amd64",
				"spec.ephemeralContainers[0].image: the pod runs on windows, and the image is made for linux/amd64",
				"spec.initContainers[0].env[0].valueFrom.configMapKeyRef.name: ConfigMap a is not in the release",
			},
		},

		// Every kind of workload is looked into.
		{name: "Deployment", manifest: object("apps/v1", "Deployment", template("")), want: []string{"Deployment demo/o: spec.template.spec: ", "spec.template.spec.containers[0].image: x is not pinned"}},
		{name: "StatefulSet", manifest: object("apps/v1", "StatefulSet", template("")), want: []string{"spec.template.spec: ", "x is not pinned"}},
		{name: "DaemonSet", manifest: object("apps/v1", "DaemonSet", template("")), want: []string{"spec.template.spec: ", "x is not pinned"}},
		{name: "ReplicaSet", manifest: object("apps/v1", "ReplicaSet", template("")), want: []string{"spec.template.spec: ", "x is not pinned"}},
		{name: "ReplicationController", manifest: object("v1", "ReplicationController", template("")), want: []string{"spec.template.spec: ", "x is not pinned"}},
		{name: "Job", manifest: object("batch/v1", "Job", template("")), want: []string{"spec.template.spec: ", "x is not pinned"}},
		{name: "CronJob", manifest: object("batch/v1", "CronJob", "jobTemplate:\n  spec:\n    "+template("    ")), want: []string{"spec.jobTemplate.spec.template.spec: ", "x is not pinned"}},
		{
			name: "PodTemplate", manifest: "apiVersion: v1\nkind: PodTemplate\nmetadata: {name: o, namespace: demo}\n" + template(""),
			want: []string{"PodTemplate demo/o: template.spec: ", "x is not pinned"},
		},
		{
			name: "init and ephemeral containers", manifest: object("v1", "Pod", linux+"initContainers:\n- {name: i, image: x}\nephemeralContainers:\n- {name: e, image: z}\n"+onePod),
			want: []string{"spec.initContainers[0].image: x is not pinned", "spec.ephemeralContainers[0].image: z is not pinned"},
		},
		{
			name: "image volume", manifest: object("v1", "Pod", linux+"volumes:\n- {name: v, image: {reference: x}}\n"+onePod),
			want: []string{"spec.volumes[0].image.reference: x is not pinned"},
		},
		{name: "custom resource", manifest: object("example.com/v1", "Widget", "part: {image: x}"), want: []string{"Widget demo/o: spec.part.image: x is not pinned"}},
		{name: "custom resource for Windows", manifest: object("example.com/v1", "Widget", "windows: {image: $APP}"), want: []string{"spec.windows.image: it is named for Windows"}},
		{name: "custom resource whose controller fills in the image", manifest: object("tekton.dev/v1", "Task", "steps: [{image: $(params.image)}]") + "---\n" + object("argoproj.io/v1alpha1", "Workflow", "image: '{{inputs.parameters.image}}'")},
		{name: "custom resource of a chart", manifest: object("argoproj.io/v1alpha1", "Workflow", "image: '{{ .Values.image }}'"), want: []string{"spec.image: \"{{ .Values.image }}\" is an action of a template"}},
		{name: "variable in the image of a pod", manifest: object("v1", "Pod", linux+"containers: [{name: main, image: $(IMAGE)}]"), want: []string{"spec.containers[0].image: \"$(IMAGE)\" is not an image reference"}},
		{name: "description in a CustomResourceDefinition", manifest: object("apiextensions.k8s.io/v1", "CustomResourceDefinition", "versions: [{schema: {openAPIV3Schema: {description: 'ko://example.com/x', properties: {description: {description: 'such as ko://example.com/y'}}}}}]")},
		{
			name: "default in a CustomResourceDefinition", manifest: object("apiextensions.k8s.io/v1", "CustomResourceDefinition", "versions: [{schema: {openAPIV3Schema: {properties: {description: {default: 'ko://example.com/x'}}}}}]"),
			want: []string{"properties.description.default: only ko resolves ko://example.com/x"},
		},
		{name: "labels are no images", manifest: object("v1", "Service", "selector: {image: x}\nports: [{port: 1}]")},

		{
			name: "unknown fields", manifest: deployment("image: $APP\nimagePullPolice: Always") + "---\n" + object("v1", "Service", "prots: []"),
			want: []string{"Deployment demo/app: spec.template.spec.containers[0].imagePullPolice: unknown field", "Service demo/o: spec.prots: unknown field"},
		},
		{name: "field of another type", manifest: object("apps/v1", "Deployment", "replicas: many"), want: []string{"Deployment demo/o: spec.replicas: this is text where an integer should be"}},
		{
			name: "two texts that are not base64", manifest: "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\ndata:\n  good: YQ==\n  bad: ${A}\n  worse: ${B}\n",
			want: []string{"m.yaml:6:8: Secret s: data.bad: this is not base64: encode it, or write it under stringData if this is a Secret"},
		},
		{
			name: "kind that was removed", manifest: "apiVersion: policy/v1beta1\nkind: PodSecurityPolicy\nmetadata: {name: p}\nspec: {privileged: true}\n",
			want: []string{"Kubernetes 1.25 removed PodSecurityPolicy: label namespaces for Pod Security admission instead"},
		},
		{name: "version of old", manifest: object("extensions/v1beta1", "Deployment", template("")), want: []string{"current clusters do not serve apiVersion extensions/v1beta1: use apps/v1"}},
		{
			name:     "versions that only some clusters serve",
			manifest: object("admissionregistration.k8s.io/v1beta1", "MutatingAdmissionPolicy", "reinvocationPolicy: Never") + "---\n" + object("coordination.k8s.io/v1alpha2", "LeaseCandidate", "leaseName: a"),
		},
		{name: "beta version of old", manifest: object("networking.k8s.io/v1beta1", "Ingress", "rules: []"), want: []string{"current clusters do not serve apiVersion networking.k8s.io/v1beta1: use networking.k8s.io/v1"}},
		{name: "kind that is not there", manifest: object("apps/v1", "Deploymend", "replicas: 1"), want: []string{"Kubernetes has no kind Deploymend in apps/v1"}},
		{
			name: "an object twice", manifest: configMap("a", "k", "v") + configMap("a", "k", "w"),
			want: []string{"m.yaml:8:", "ConfigMap demo/a: the same object is at m.yaml:2:1"},
		},
		{
			name: "everything at once", manifest: deployment("image: x\nenv: [{name: A_IMAGE, value: w}]") + configMap("b", "image", "z"),
			want: []string{"image: x is not pinned", "value: w is not pinned", "data.image: z is not pinned"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, err := lint.Check(t.Context(), []lint.File{{Name: "m.yaml", Text: []byte(tt.manifest)}}, lint.Options{Lock: small(), Product: &product.Product{}})
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

func template(indent string) string {
	return "template:\n" + indent + "  metadata: {labels: {a: b}}\n" + indent + "  spec:\n" + indent + "    containers:\n" + indent + "    - {name: main, image: x}\n"
}
