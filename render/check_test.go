package render_test

import (
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/render"
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

const pod = "containers:\n- {name: main, image: $APP}\n"

// TestCheck holds each rule: what passes has no want.
func TestCheck(t *testing.T) {
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
				"release.yaml:12: Deployment demo/app: spec.template.spec.containers[main].image: only ko knows what ko://example.com/cmd/app is, and no runtime: write $APP [image-ko]",
				"release.yaml:13: Deployment demo/app: spec.template.spec.containers[main].args[1]: only ko knows what ko://example.com/cmd/tools is, and no runtime: write $TOOLS [image-ko]",
				"release.yaml:13: Deployment demo/app: spec.template.spec.containers[main].args[2]: only ko knows what ko://example.com/cmd/b is, and no runtime: write the reference of the image that has the program [image-ko]",
				"release.yaml:14: Deployment demo/app: spec.template.spec.containers[main].env[A_IMAGE].value: only ko knows what ko://example.com/cmd/c is, ",
				"release.yaml:20: ConfigMap demo/a: data.note: only ko knows what ko://example.com/cmd/d is, ",
			},
		},
		{name: "third-party by its short name", manifest: deployment("image: $BUSYBOX")},
		{name: "third-party that a snapshot left out", manifest: deployment("image: $OFFLINE")},
		{
			name: "by tag", manifest: deployment("image: slipway.local/kpack/app:1.2.3"),
			want: []string{"release.yaml:12: Deployment demo/app: spec.template.spec.containers[main].image: slipway.local/kpack/app:1.2.3 is not pinned by digest: write $APP"},
		},
		{name: "without tag", manifest: deployment("image: nginx"), want: []string{"nginx is not pinned by digest: write repository@sha256:…"}},
		{name: "third-party by tag", manifest: deployment("image: registry.k8s.io/pause:3.10"), want: []string{"write $PAUSE"}},
		{
			name: "tag and digest", manifest: deployment("image: slipway.local/kpack/app:1.2.3@" + digest(1).String()),
			want: []string{"has a tag beside the digest: write $APP"},
		},
		{name: "wrong digest", manifest: deployment("image: slipway.local/kpack/app@$OTHER"), want: []string{"another digest than the lock: write $APP"}},
		{
			name: "third-party with a wrong digest", manifest: deployment("image: registry.k8s.io/pause@$OTHER"),
			want: []string{"another digest than the lock: write $PAUSE"},
		},
		{name: "unknown", manifest: deployment("image: nginx@$OTHER"), want: []string{"neither of the product nor of images.txt"}},
		{name: "no reference", manifest: deployment("image: UPPER/Case"), want: []string{`"UPPER/Case" is no image reference`}},
		{name: "empty", manifest: deployment(`image: ""`), want: []string{"containers[main].image: the image is empty"}},

		{name: "variable", manifest: deployment("image: $APP\nenv: [{name: INIT_IMAGE, value: $TOOLS}]")},
		{
			name: "variable by tag", manifest: deployment("image: $APP\nenv: [{name: INIT_IMAGE, value: 'busybox:1.36'}]"),
			want: []string{"containers[main].env[INIT_IMAGE].value: busybox:1.36 is not pinned"},
		},
		{name: "empty variable", manifest: deployment("image: $APP\nenv: [{name: INIT_IMAGE, value: ''}]"), want: []string{"env[INIT_IMAGE].value: the image is empty"}},
		{name: "variable without value", manifest: deployment("image: $APP\nenv: [{name: INIT_IMAGE}]"), want: []string{"env[INIT_IMAGE].value: the image is empty"}},
		{name: "variable that is no image", manifest: deployment("image: $APP\nenv: [{name: IMAGE_PULL_POLICY, value: Always}, {name: EMPTY}]")},
		{
			name: "variable that names a repository", manifest: deployment("image: $APP\nenv: [{name: HELPER, value: 'slipway.local/kpack/tools'}]"),
			want: []string{"env[HELPER].value: image tools is not pinned to the lock's digest: write $TOOLS"},
		},
		{
			name: "flag that names a repository", manifest: deployment("image: $APP\nargs: ['--helper=slipway.local/kpack/tools:1.2.3', '--also=slipway.local/kpack/tools-more:1', '--ok=$TOOLS']"),
			want: []string{"containers[main].args[0]: image tools is not pinned"},
		},

		{name: "flags that name other repositories", manifest: deployment("image: $APP\nargs: ['--helper=slipway.local/kpack/tools-more:1', 'mirror/slipway.local/kpack/tools:1']")},

		{name: "ConfigMap", manifest: deployment(fromMap) + configMap("init-image", "image", "$APP")},
		{
			name: "ConfigMap by tag", manifest: configMap("init-image", "image", "busybox:1.36"),
			want: []string{"release.yaml:6: ConfigMap demo/init-image: data.image: busybox:1.36 is not pinned"},
		},
		{
			name: "ConfigMap with a file", manifest: configMap("config", "config.json", `'{"helper": "slipway.local/kpack/tools:1.2.3"}'`),
			want: []string{"data.config.json: image tools is not pinned"},
		},
		{name: "missing ConfigMap", manifest: deployment(fromMap), want: []string{"ConfigMap init-image is not in the release: INIT_IMAGE would be empty"}},
		{
			name: "ConfigMap of another namespace", manifest: deployment(fromMap) + strings.ReplaceAll(configMap("init-image", "image", "$APP"), "namespace: demo", "namespace: other"),
			want: []string{"ConfigMap init-image is not in the release"},
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
			name: "envFrom a missing ConfigMap", manifest: deployment("image: $APP\nenvFrom: [{configMapRef: {name: init}}, {secretRef: {name: s}}]"),
			want: []string{"envFrom[0]: ConfigMap init is not in the release"},
		},
		{name: "envFrom an optional ConfigMap", manifest: deployment("image: $APP\nenvFrom: [{configMapRef: {name: maybe, optional: true}}]")},

		{name: "Windows by its child", manifest: deployment("image: $APP\nenv: [{name: BUILD_INIT_WINDOWS_IMAGE, value: $TOOLS}]")},
		{name: "Windows by the lifecycle's layer", manifest: deployment("image: $APP\nenv: [{name: WINDOWS_LIFECYCLE_IMAGE, value: $LIFECYCLE}]")},
		{name: "Windows of a third party", manifest: deployment("image: $APP\nenv: [{name: WINDOWS_PAUSE, value: $PAUSE}]")},
		{
			name: "Windows without a child", manifest: deployment("image: $APP\nenv: [{name: BUILD_INIT_WINDOWS_IMAGE, value: $APP}]"),
			want: []string{"env[BUILD_INIT_WINDOWS_IMAGE].value: it is named for Windows, but image app has no files for windows"},
		},
		{
			name: "Windows without a child of a third party", manifest: deployment("image: $APP\nenv: [{name: windowsInit, value: $BUSYBOX}]"),
			want: []string{"env[windowsInit].value", "image busybox:1.36 has no files for windows"},
		},
		{
			name: "Windows ConfigMap", manifest: configMap("build-init-windows-image", "image", "$APP"),
			want: []string{"ConfigMap demo/build-init-windows-image: data.image: it is named for Windows"},
		},
		{
			name: "Windows container", manifest: object("v1", "Pod", linux+"containers:\n- {name: for-windows, image: $APP}"),
			want: []string{"spec.containers[for-windows].image: it is named for Windows"},
		},
		{name: "windowsOptions are no name for Windows", manifest: object("v1", "Pod", linux+"containers:\n- {name: x, image: $APP, securityContext: {windowsOptions: {hostProcess: false}}}")},

		{
			name: "no system", manifest: object("v1", "Pod", pod),
			want: []string{"release.yaml:4: Pod demo/o: spec: the pod may land on a node of any operating system: add nodeSelector kubernetes.io/os"},
		},
		{name: "spec.os alone", manifest: object("v1", "Pod", "os: {name: linux}\n"+pod), want: []string{"os.name does not steer the scheduler: add nodeSelector kubernetes.io/os: linux"}},
		{name: "spec.os of another system", manifest: object("v1", "Pod", "os: {name: windows}\n"+linux+pod), want: []string{"os.name is windows, but the pod selects nodes with linux"}},
		{
			name: "affinity", manifest: object("v1", "Pod", "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: kubernetes.io/os, operator: In, values: [linux]}]}]}}}\n"+pod),
		},
		{
			name: "affinity with a way out", manifest: object("v1", "Pod", "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: kubernetes.io/os, operator: In, values: [linux]}]}, {matchExpressions: [{key: a, operator: Exists}]}]}}}\n"+pod),
			want: []string{"any operating system"},
		},
		{
			name: "preferred affinity", manifest: object("v1", "Pod", "affinity: {nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 1, preference: {matchExpressions: [{key: kubernetes.io/os, operator: In, values: [linux]}]}}]}}\n"+pod),
			want: []string{"any operating system"},
		},
		{
			name: "image without the pod's system", manifest: object("v1", "Pod", "nodeSelector: {kubernetes.io/os: windows}\ninitContainers:\n- {name: i, image: $TOOLS}\n"+pod),
			want: []string{"spec.containers[main].image: the pod selects windows nodes, but app has no image for windows"},
		},

		{
			name: "affinity by exclusion", manifest: object("v1", "Pod", "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: kubernetes.io/os, operator: NotIn, values: [windows]}]}]}}}\n"+pod),
		},
		{
			name: "affinity that is none", manifest: object("v1", "Pod", "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: kubernetes.io/os, operator: Exists}]}]}}}\n"+pod),
			want: []string{"any operating system"},
		},
		{
			name: "affinity against the node selector", manifest: object("v1", "Pod", linux+"affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: kubernetes.io/os, operator: In, values: [windows]}]}]}}}\n"+pod),
			want: []string{"no node has what the node selector and the node affinity ask for together"},
		},
		{
			name: "images of other containers", manifest: object("v1", "Pod", "nodeSelector: {kubernetes.io/os: windows}\ncontainers:\n- {name: c, image: $TOOLS}\n"+
				"initContainers:\n- {name: i, image: $APP, env: [{name: A_IMAGE, valueFrom: {configMapKeyRef: {name: a, key: b}}}]}\nephemeralContainers:\n- {name: e, image: $APP}"),
			want: []string{
				"spec.initContainers[i].image: the pod selects windows nodes, but app has no image for windows",
				"spec.ephemeralContainers[e].image: the pod selects windows nodes, but app has no image for windows",
				"spec.initContainers[i].env[A_IMAGE].valueFrom.configMapKeyRef.name: ConfigMap a is not in the release",
			},
		},

		// Every kind of workload is looked into.
		{name: "Deployment", manifest: object("apps/v1", "Deployment", template("")), want: []string{"Deployment demo/o: spec.template.spec: ", "spec.template.spec.containers[main].image: x is not pinned"}},
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
			name: "init and ephemeral containers", manifest: object("v1", "Pod", linux+"initContainers:\n- {name: i, image: x}\nephemeralContainers:\n- {name: e, image: z}\n"+pod),
			want: []string{"spec.initContainers[i].image: x is not pinned", "spec.ephemeralContainers[e].image: z is not pinned"},
		},
		{
			name: "image volume", manifest: object("v1", "Pod", linux+"volumes:\n- {name: v, image: {reference: x}}\n"+pod),
			want: []string{"spec.volumes[v].image.reference: x is not pinned"},
		},
		{name: "custom resource", manifest: object("example.com/v1", "Widget", "part: {image: x}"), want: []string{"Widget demo/o: spec.part.image: x is not pinned"}},
		{name: "custom resource for Windows", manifest: object("example.com/v1", "Widget", "windows: {image: $APP}"), want: []string{"spec.windows.image: it is named for Windows"}},
		{name: "labels are no images", manifest: object("v1", "Service", "selector: {image: x}\nports: [{port: 1}]")},

		{
			name: "unknown fields", manifest: deployment("image: $APP\nimagePullPolice: Always") + "---\n" + object("v1", "Service", "prots: []"),
			want: []string{`Deployment demo/app: unknown field "spec.template.spec.containers[0].imagePullPolice"`, `Service demo/o: unknown field "spec.prots"`},
		},
		{name: "field of another type", manifest: object("apps/v1", "Deployment", "replicas: many"), want: []string{"Deployment demo/o: ", "replicas of type int32"}},
		{name: "version of old", manifest: object("extensions/v1beta1", "Deployment", template("")), want: []string{"apiVersion extensions/v1beta1 is not one that current clusters serve: use apps/v1"}},
		{name: "kind that is not there", manifest: object("apps/v1", "Deploymend", "replicas: 1"), want: []string{"kind Deploymend of apps/v1 is not one that Kubernetes has"}},
		{
			name: "an object twice", manifest: configMap("a", "k", "v") + configMap("a", "k", "w"),
			want: []string{"release.yaml:7: ConfigMap demo/a: the object is there already, at release.yaml:1"},
		},
		{
			name: "everything at once", manifest: deployment("image: x\nenv: [{name: A_IMAGE, value: w}]") + configMap("b", "image", "z"),
			want: []string{"image: x is not pinned", "value: w is not pinned", "data.image: z is not pinned"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, l := small(t, nil)
			docs, err := render.Read("release.yaml", []byte(tt.manifest))
			if err != nil {
				t.Fatal(err)
			}
			err = render.Check(docs, l)
			switch {
			case tt.want != nil:
				wantError(t, err, tt.want)
			case err != nil:
				t.Error(err)
			}
		})
	}
}

func template(indent string) string {
	return "template:\n" + indent + "  metadata: {labels: {a: b}}\n" + indent + "  spec:\n" + indent + "    containers:\n" + indent + "    - {name: main, image: x}\n"
}

// TestRead holds what is no manifest.
func TestRead(t *testing.T) {
	for _, tt := range []struct{ name, manifest, want string }{
		{"no YAML", "a: [\n", "release.yaml: yaml: "},
		{"no object", "a: b\n", "release.yaml:1: the document has no apiVersion"},
		{"a scalar", "a\n", "release.yaml:1: the document has no apiVersion"},
		{"a key twice", "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  containers:\n  - name: x\n    name: y\n", "release.yaml:7: spec.containers[x].name is there twice"},
		{"an item of a list", "apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1}\n", "release.yaml:4: the document has no kind"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := render.Read("release.yaml", []byte(tt.manifest))
			wantError(t, err, []string{tt.want})
		})
	}
}

// TestTemplatePosition: a finding names the template's file and line, and a value of slipway.yaml
// its path.
func TestTemplatePosition(t *testing.T) {
	p, l := small(t, map[string]string{
		"app/deployment.yaml": "#@ load(\"@ytt:data\", \"data\")\n---\n" + strings.Replace(deployment("image: X"), "image: X", "image: #@ data.values.image", 1),
	})
	p.Release.Values = map[string]any{"image": "nginx", "windows_helper": map[string]any{"image": `{{image "app"}}`}}
	p.Release.Env = []product.WorkloadEnv{{
		Kind: "Deployment", Namespace: "demo", Name: "app", Container: "main", Variables: []product.Variable{{Name: "INIT_IMAGE", Value: "init"}},
	}}
	_, err := render.Render(t.Context(), p, l, render.Options{})
	wantError(t, err, []string{
		"slipway.yaml: release.values.windows_helper.image: it is named for Windows, but image app has no files for windows",
		"deploy/app/deployment.yaml:14: Deployment demo/app: spec.template.spec.containers[main].image: nginx is not pinned",
		"slipway.yaml: Deployment demo/app: spec.template.spec.containers[main].env[INIT_IMAGE].value: init is not pinned",
	})
}
