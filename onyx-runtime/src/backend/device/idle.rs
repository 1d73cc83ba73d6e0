//! What devices of tests do not do.

/// The methods of a [`Device`](super::Device) that does nothing, but for its launches.
macro_rules! does_nothing {
    () => {
        fn start(&mut self) -> Result<(), $crate::error::RunError> {
            Ok(())
        }

        fn stop(&mut self) -> Result<(), $crate::error::RunError> {
            Ok(())
        }

        fn time(&mut self) -> Result<Option<std::time::Duration>, $crate::error::RunError> {
            Ok(None)
        }

        fn look(&mut self, _: onyx_device::schedule::look::Look) -> Result<(), $crate::error::RunError> {
            Ok(())
        }

        fn add_up(&mut self, _: onyx_device::schedule::total::AddUp) -> Result<(), $crate::error::RunError> {
            Ok(())
        }

        fn pack(&mut self, _: onyx_device::schedule::pack::Pack) -> Result<(), $crate::error::RunError> {
            Ok(())
        }

        fn limit(&mut self, _: onyx_device::schedule::limit::Limit) -> Result<(), $crate::error::RunError> {
            Ok(())
        }

        fn multiply(&mut self, _: &$crate::product::Product, _: [*mut f32; 3]) -> Result<(), $crate::error::RunError> {
            Ok(())
        }

        fn block_threads(&self, _: $crate::schedule::Team, _: usize) -> u64 {
            32
        }
    };
}

pub(crate) use does_nothing;
