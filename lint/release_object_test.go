package lint_test

import "testing"

// TestReleaseSystems checks that a pod selects the operating system that its images are for.
func TestReleaseSystems(t *testing.T) {
	linux := "nodeSelector: {kubernetes.io/os: linux}\n"
	checkReleases(t, []releaseCase{
		{
			name: "no system", manifest: object("v1", "Pod", onePod),
			want: []string{"m.yaml:5:", "Pod demo/o: spec: the pod may run on a node of any operating system"},
		},
		{
			name: "spec.os alone", manifest: object("v1", "Pod", "os: {name: linux}\n"+onePod),
			want: []string{"the scheduler ignores os.name"},
		},
		{
			name: "spec.os of another system", manifest: object("v1", "Pod", "os: {name: windows}\n"+linux+onePod),
			want: []string{"os.name is windows, but the pod selects nodes with linux"},
		},
		{
			name: "affinity",
			manifest: object("v1",
				"Pod", "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: "+
					"[{matchExpressions: [{key: kubernetes.io/os, operator: In, values: [linux]}]}]}}}\n"+onePod),
		},
		{
			name: "affinity with a way out",
			manifest: object("v1",
				"Pod",
				"affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: "+
					"[{matchExpressions: [{key: kubernetes.io/os, operator: "+
					"In, values: [linux]}]}, {matchExpressions: [{key: a, operator: Exists}]}]}}}\n"+onePod),
			want: []string{"any operating system"},
		},
		{
			name: "preferred affinity",
			manifest: object("v1",
				"Pod",
				"affinity: {nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 1, preference: "+
					"{matchExpressions: [{key: kubernetes.io/os, operator: In, values: [linux]}]}}]}}\n"+onePod),
			want: []string{"any operating system"},
		},
		{
			name: "image without the pod's system", manifest: object("v1", "Pod",
				"nodeSelector: {kubernetes.io/os: windows}\ninitContainers:\n- {name: i, image: $TOOLS}\n"+onePod),
			want: []string{"spec.containers[0].image: the pod runs on windows, and the image is made for linux/amd64"},
		},

		{
			name: "affinity by exclusion",
			manifest: object("v1",
				"Pod", "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: "+
					"[{matchExpressions: [{key: kubernetes.io/os, operator: NotIn, values: [windows]}]}]}}}\n"+onePod),
		},
		{
			name: "affinity that is none",
			manifest: object("v1", "Pod", "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "+
				"{nodeSelectorTerms: [{matchExpressions: [{key: kubernetes.io/os, operator: Exists}]}]}}}\n"+onePod),
			want: []string{"any operating system"},
		},
		{
			name: "affinity against the node selector",
			manifest: object("v1",
				"Pod",
				linux+"affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: "+
					"[{matchExpressions: [{key: kubernetes.io/os, operator: In, values: [windows]}]}]}}}\n"+onePod),
			want: []string{"no node can have what the node selector and the node affinity ask for together"},
		},
		{
			name: "images of other containers", manifest: object("v1", "Pod",
				"nodeSelector: {kubernetes.io/os: windows}\ncontainers:\n- {name: c, image: $TOOLS}\n"+
					"initContainers:\n- {name: i, image: $APP, env: [{name: A_IMAGE, valueFrom: "+
					"{configMapKeyRef: {name: a, key: b}}}]}\nephemeralContainers:\n- {name: e, image: $APP}"),
			want: []string{
				"spec.initContainers[0].image: the pod runs on windows, and the image is made for linux/amd64",
				"spec.ephemeralContainers[0].image: the pod runs on windows, and the image is made for linux/amd64",
				"spec.initContainers[0].env[0].valueFrom.configMapKeyRef.name: ConfigMap a is not in the release",
			},
		},
	})
}

// TestReleaseWorkloads looks into every kind of workload.
func TestReleaseWorkloads(t *testing.T) {
	linux := "nodeSelector: {kubernetes.io/os: linux}\n"
	checkReleases(t, []releaseCase{
		{
			name: "Deployment", manifest: object("apps/v1", "Deployment", template("")),
			want: []string{
				"Deployment demo/o: spec.template.spec: ",
				"spec.template.spec.containers[0].image: x is not pinned",
			},
		},
		{
			name: "StatefulSet", manifest: object("apps/v1", "StatefulSet", template("")),
			want: []string{"spec.template.spec: ", "x is not pinned"},
		},
		{
			name: "DaemonSet", manifest: object("apps/v1", "DaemonSet", template("")),
			want: []string{"spec.template.spec: ", "x is not pinned"},
		},
		{
			name: "ReplicaSet", manifest: object("apps/v1", "ReplicaSet", template("")),
			want: []string{"spec.template.spec: ", "x is not pinned"},
		},
		{
			name: "ReplicationController", manifest: object("v1", "ReplicationController", template("")),
			want: []string{"spec.template.spec: ", "x is not pinned"},
		},
		{
			name: "Job", manifest: object("batch/v1", "Job", template("")),
			want: []string{"spec.template.spec: ", "x is not pinned"},
		},
		{
			name: "CronJob", manifest: object("batch/v1", "CronJob", "jobTemplate:\n  spec:\n    "+template("    ")),
			want: []string{"spec.jobTemplate.spec.template.spec: ", "x is not pinned"},
		},
		{
			name:     "PodTemplate",
			manifest: "apiVersion: v1\nkind: PodTemplate\nmetadata: {name: o, namespace: demo}\n" + template(""),
			want:     []string{"PodTemplate demo/o: template.spec: ", "x is not pinned"},
		},
		{
			name: "init and ephemeral containers", manifest: object("v1", "Pod",
				linux+"initContainers:\n- {name: i, image: x}\nephemeralContainers:\n- {name: e, image: z}\n"+onePod),
			want: []string{
				"spec.initContainers[0].image: x is not pinned",
				"spec.ephemeralContainers[0].image: z is not pinned",
			},
		},
		{
			name:     "image volume",
			manifest: object("v1", "Pod", linux+"volumes:\n- {name: v, image: {reference: x}}\n"+onePod),
			want:     []string{"spec.volumes[0].image.reference: x is not pinned"},
		},
	})
}

// TestReleaseCustomResources looks for references in objects that make no pods.
func TestReleaseCustomResources(t *testing.T) {
	linux := "nodeSelector: {kubernetes.io/os: linux}\n"
	checkReleases(t, []releaseCase{
		{
			name: "custom resource", manifest: object("example.com/v1", "Widget", "part: {image: 'x:1'}"),
			want: []string{"Widget demo/o: spec.part.image: x:1 is not pinned"},
		},
		{
			name: "custom resource whose controller completes the image",
			manifest: object("example.com/v1", "Widget", "image: x\nrepository: quay.io/x\nversion: '1'") + "---\n" +
				object("example.com/v1", "Gadget", "image: ubuntu-2204-kube"),
		},
		{
			name: "custom resource for Windows", manifest: object("example.com/v1", "Widget", "windows: {image: $APP}"),
			want: []string{"spec.windows.image: it is named for Windows"},
		},
		{
			name: "custom resource whose controller fills in the image",
			manifest: object("tekton.dev/v1", "Task", "steps: [{image: $(params.image)}]") + "---\n" +
				object("argoproj.io/v1alpha1", "Workflow", "image: '{{inputs.parameters.image}}'"),
		},
		{
			name:     "custom resource of a chart",
			manifest: object("argoproj.io/v1alpha1", "Workflow", "image: '{{ .Values.image }}'"),
			want:     []string{"spec.image: \"{{ .Values.image }}\" is an action of a template"},
		},
		{
			name:     "variable in the image of a pod",
			manifest: object("v1", "Pod", linux+"containers: [{name: main, image: $(IMAGE)}]"),
			want:     []string{"spec.containers[0].image: \"$(IMAGE)\" is not an image reference"},
		},
		{
			name: "description in a CustomResourceDefinition",
			manifest: object("apiextensions.k8s.io/v1", "CustomResourceDefinition",
				"versions: [{schema: {openAPIV3Schema: {description: 'ko://example.com/x', properties: "+
					"{description: {description: 'such as ko://example.com/y'}}}}}]"),
		},
		{
			name: "default in a CustomResourceDefinition",
			manifest: object("apiextensions.k8s.io/v1", "CustomResourceDefinition",
				"versions: [{schema: {openAPIV3Schema: {properties: {description: "+
					"{default: 'ko://example.com/x'}}}}}]"),
			want: []string{"properties.description.default: only ko resolves ko://example.com/x"},
		},
		{name: "labels are no images", manifest: object("v1", "Service", "selector: {image: x}\nports: [{port: 1}]")},
	})
}

// TestReleaseObjects checks the fields and the versions of objects.
func TestReleaseObjects(t *testing.T) {
	checkReleases(t, []releaseCase{
		{
			name: "unknown fields", manifest: deployment("image: $APP\nimagePullPolice: Always") +
				"---\n" + object("v1", "Service", "prots: []"),
			want: []string{
				"Deployment demo/app: spec.template.spec.containers[0].imagePullPolice: unknown field",
				"Service demo/o: spec.prots: unknown field",
			},
		},
		{
			name: "field of another type", manifest: object("apps/v1", "Deployment", "replicas: many"),
			want: []string{"Deployment demo/o: spec.replicas: this is text where an integer should be"},
		},
		{
			name: "two texts that are not base64", manifest: "apiVersion: v1\nkind: Secret\nmetadata: " +
				"{name: s}\ndata:\n  good: YQ==\n  bad: ${A}\n  worse: ${B}\n",
			want: []string{"m.yaml:6:8: Secret s: data.bad: this is not base64: " +
				"encode it, or write it under stringData if this is a Secret"},
		},
		{
			name: "kind that was removed", manifest: "apiVersion: policy/v1beta1\nkind: PodSecurityPolicy\nmetadata: " +
				"{name: p}\nspec: {privileged: true}\n",
			want: []string{"Kubernetes 1.25 removed PodSecurityPolicy: " +
				"label namespaces for Pod Security admission instead"},
		},
		{
			name: "version of old", manifest: object("extensions/v1beta1", "Deployment", template("")),
			want: []string{"current clusters do not serve apiVersion extensions/v1beta1: use apps/v1"},
		},
		{
			name: "versions that only some clusters serve",
			manifest: object("admissionregistration.k8s.io/v1beta1", "MutatingAdmissionPolicy",
				"reinvocationPolicy: Never") + "---\n" + object("coordination.k8s.io/v1alpha2", "LeaseCandidate",
				"leaseName: a"),
		},
		{
			name: "beta version of old", manifest: object("networking.k8s.io/v1beta1", "Ingress", "rules: []"),
			want: []string{"current clusters do not serve " +
				"apiVersion networking.k8s.io/v1beta1: use networking.k8s.io/v1"},
		},
		{
			name: "kind that is not there", manifest: object("apps/v1", "Deploymend", "replicas: 1"),
			want: []string{"Kubernetes has no kind Deploymend in apps/v1"},
		},
		{
			name: "an object twice", manifest: configMap("a", "k", "v") + configMap("a", "k", "w"),
			want: []string{"m.yaml:8:", "ConfigMap demo/a: the same object is at m.yaml:2:1"},
		},
		{
			name:     "everything at once",
			manifest: deployment("image: x\nenv: [{name: A_IMAGE, value: w}]") + configMap("b", "image", "z"),
			want:     []string{"image: x is not pinned", "value: w is not pinned", "data.image: z is not pinned"},
		},
	})
}

func template(indent string) string {
	return "template:\n" + indent + "  metadata: {labels: {a: b}}\n" + indent + "  spec:\n" + indent +
		"    containers:\n" + indent + "    - {name: main, image: x}\n"
}
