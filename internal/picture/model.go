package picture

import (
	"fmt"
	"image"
	"math"
	"strconv"

	"earshot"
	"earshot/internal/model/enrich"
	"earshot/internal/model/onnx"
	"earshot/internal/model/vision"
	"earshot/internal/model/vision/net"
)

// OpenModel opens an operator's image model.
func OpenModel(path string) (Model, error) {
	m, err := onnx.OpenImage(path, onnx.ImageOptions{})
	if err != nil {
		return Model{}, err
	}
	classify := func(img image.Image) ([]earshot.ImageObject, []earshot.ImageBrand, error) {
		predictions, err := m.Classify(img)
		if err != nil {
			return nil, nil, err
		}
		objects, brands := enrich.MapLabels(predictions)
		return objects, brands, nil
	}
	return Model{Version: "custom " + m.Version(), Classify: classify, Hash: net.PerceptualHash}, nil
}

// BuiltInModel returns the built-in networks. They are loaded when they are first used, because most
// installations do not fetch pictures.
func BuiltInModel() Model {
	var networks *net.Networks
	classify := func(img image.Image) (objects []earshot.ImageObject, _ []earshot.ImageBrand, _ error) {
		if networks == nil {
			n, err := net.New()
			if err != nil {
				return nil, nil, fmt.Errorf("load the image networks: %w", err)
			}
			networks = n
		}
		seen, err := networks.Classify(img)
		if err != nil {
			return nil, nil, err
		}
		for _, s := range seen {
			if s.Class.Type != vision.Logo {
				objects = append(objects, earshot.ImageObject{Score: math.Round(100*s.Score) / 100, ClassID: s.Class.ID, ClassName: s.Class.Name})
			}
		}
		return objects, nil, nil
	}
	return Model{Version: strconv.Itoa(net.Version), Classify: classify, Hash: net.PerceptualHash}
}
