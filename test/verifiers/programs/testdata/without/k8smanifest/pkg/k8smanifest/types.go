// Package k8smanifest replaces the verifier of signed manifests, of which policies have types.
package k8smanifest

type (
	// ObjectFieldBinding are fields of objects.
	ObjectFieldBinding struct {
		Fields  []string            `json:"fields,omitempty"`
		Objects ObjectReferenceList `json:"objects,omitempty"`
	}
	// ObjectReferenceList are objects.
	ObjectReferenceList []ObjectReference
	// ObjectReference is an object.
	ObjectReference struct {
		Group     string `json:"group,omitempty"`
		Version   string `json:"version,omitempty"`
		Kind      string `json:"kind,omitempty"`
		Name      string `json:"name,omitempty"`
		Namespace string `json:"namespace,omitempty"`
	}
)
