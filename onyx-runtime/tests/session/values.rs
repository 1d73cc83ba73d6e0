//! What is written to data and read from them.

use ndarray::{Array1, Array2, array};
use onyx_device::prelude::*;
use onyx_runtime::graph::GraphBuilder;
use onyx_runtime::{Options, RunError, RunFold, Session, explain};

use crate::heat::{Heat, cool, graph, prepared, sessions, spread};

#[test]
#[cfg_attr(miri, ignore = "the emulator's lanes are coroutines")]
fn what_does_not_belong_together_is_refused() {
    let (graph, session) = (graph(), Session::emulator());
    let (resident, again) = (session.graph(&graph), session.graph(&graph));
    let mut data = session.data(cool, &resident, 2).unwrap();
    let error = cool.on(&again, &mut data).once().unwrap_err();
    assert!(matches!(error, RunError::OtherGraph { .. }), "{error}");
    let other = Session::emulator();
    let error = other.data(cool, &resident, 2).unwrap_err();
    assert!(matches!(error, RunError::OtherSession { what: "graph", .. }), "{error}");
    let elsewhere = other.graph(&graph);
    let error = cool.on(&elsewhere, &mut data).once().unwrap_err();
    assert!(matches!(error, RunError::OtherSession { what: "data", .. }), "{error}");
}

#[test]
fn values_of_another_shape_are_refused() {
    let graph = GraphBuilder::new().edges(vec![(0, 1), (1, 2)]).build().unwrap();
    let session = Session::cpu();
    let mut data = session.data(cool, &session.graph(&graph), 2).unwrap();
    let error = data.write(Heat::HEAT, &array![[1.0, 2.0], [3.0, 4.0]]).unwrap_err();
    let expected = "`heat` has the shape [3, 2], and the values have [2, 2]: give an array of the shape [3, 2], or make the data, or the tensor, for the size of \
                    the values";
    assert_eq!(error.to_string(), expected);
    data.write(Heat::HEAT, &array![[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]).unwrap();
    data.write(Heat::TOTAL, &[1.0, 2.0, 3.0]).unwrap();
    assert_eq!(data.read(Heat::TOTAL).unwrap(), array![1.0, 2.0, 3.0]);
}

#[graph_data]
struct Empty<const K: usize> {
    row: VertexFeatures<K, Tracked>,
    scalar: VertexScalar,
    matrix: VertexMatrix<K>,
    edge_row: EdgeFeatures<K>,
    edge_scalar: EdgeScalar,
    edge_matrix: EdgeMatrix<K>,
    sum: VertexFeatures<K>,
}

#[edge_fn]
fn gather<const K: usize>(f: Feature, e: Edge, d: &mut Empty<K>) -> bool {
    let product = matvec(d.edge_matrix[e][f], d.row[e.src][f]);
    d.sum[e.dst][f] += d.edge_row[e][f] + d.edge_scalar[e] + product;
    true
}

#[vertex_fn]
fn take<const K: usize>(f: Feature, v: Vertex, d: &mut Empty<K>) -> bool {
    d.row[v][f] = d.sum[v][f] + d.scalar[v] + matvec(d.matrix[v][f], d.sum[v][f]);
    false
}

foldmap! { pub collect<const K: usize>(Empty<K>) = [gather, take]; features = [4] }

#[test]
fn what_there_is_none_of_is_written_and_read() {
    for vertices in [0, 2] {
        let graph = GraphBuilder::new().vertices(vertices).build().unwrap();
        for session in sessions() {
            let resident = session.graph(&graph);
            let mut data = session.data(collect, &resident, 3).unwrap();
            data.write(Empty::ROW, &Array2::<f32>::zeros((vertices, 3))).unwrap();
            data.write(Empty::SCALAR, &Array1::<f32>::zeros(vertices)).unwrap();
            data.write(Empty::EDGE_ROW, &Array2::<f32>::zeros((0, 3))).unwrap();
            data.write(Empty::EDGE_SCALAR, &Array1::<f32>::zeros(0)).unwrap();
            data.view_mut(Empty::EDGE_MATRIX).unwrap().fill(1.0);
            data.view_mut(Empty::MATRIX).unwrap().fill(1.0);
            collect.on(&resident, &mut data).until_settled(&Options::new()).unwrap();
            assert_eq!(data.read(Empty::ROW).unwrap(), Array2::<f32>::zeros((vertices, 3)), "{session:?}");
            assert_eq!(data.read(Empty::EDGE_MATRIX).unwrap().shape(), [0, 3, 3]);
        }
    }
}

#[test]
fn all_values_come_to_the_host_at_once() {
    let graph = graph();
    for session in sessions() {
        let resident = session.graph(&graph);
        assert_eq!(resident.session().backend(), session.backend());
        let mut data = prepared(&session, &resident);
        spread.on(&resident, &mut data).times(5, &Options::default()).unwrap();
        let heat = data.on_host().unwrap().row(Heat::HEAT, 3).to_vec();
        assert_eq!(data.read(Heat::HEAT).unwrap().row(3).to_vec(), heat, "{session:?}");
        let said = data.explain(spread, &resident, &Options::default());
        let store = data.into_store().unwrap();
        assert_eq!((store.row(Heat::HEAT, 3), store.get(Heat::RATE)), (&heat[..], 0.5), "{session:?}");
        let options = Options { backend: session.backend(), ..Options::default() };
        assert_eq!(said, explain(spread, &graph, &store, &options));
    }
}

#[test]
fn a_tensor_has_other_rows_in_its_place() {
    let mut tensor = Session::cpu().tensor(2, 3).unwrap();
    for rows in [5, 1, 0, 4] {
        tensor.resize(rows).unwrap();
        let values = Array2::from_shape_fn((rows, 3), |(row, column)| (3 * row + column) as f32);
        tensor.write(&values).unwrap();
        assert_eq!((tensor.shape(), tensor.read().unwrap()), ((rows, 3), values));
    }
}
